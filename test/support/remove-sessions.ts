export { NO_FILES, removeSessions, trashRequest } from '../../src/kit/store/removing.ts';
