export { checkProblems, collect, messagesOf, user } from '../../src/kit/store/asking.ts';
