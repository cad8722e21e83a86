import { expect, it } from 'vitest';
import { OK, type Verdict, type VerdictCause, type VerdictKind } from '../../core/gateway/gateway.ts';
import { verdictOf } from '../verdict-of.ts';
import { createAdviser } from './adviser.ts';

const cause = (rule: VerdictCause['rule'], used: number): VerdictCause => ({ rule, scope: 'session', used, limit: 3 });
const say = (kind: Exclude<VerdictKind, 'ok'>, ...causes: VerdictCause[]) => verdictOf(kind, ...causes);

/** What the person and the agent were told, after each of the verdicts. */
function told(...verdicts: readonly Verdict[]) {
  const person: string[] = [];
  const agent: string[] = [];
  const tell = async ({ say: words }: Verdict) => void person.push(words);
  const pass = createAdviser({ tell, advise: ({ kind, causes }) => agent.push(`${kind} ${causes[0]?.used}`) });
  verdicts.forEach(pass);
  return { person: person.length, agent };
}

it('passes a piece of advice on once, and the next step of the ladder again', () => {
  const streak = [3, 4, 5].map((used) => say('nudge', cause('tool-errors', used)));
  expect(told(OK, ...streak, say('warn', cause('tool-errors', 6)))).toEqual({
    person: 2,
    agent: ['nudge 3', 'warn 6'],
  });
});

it('names every model that has no price', () => {
  const unpriced = (model: string) => say('warn', { ...cause('no-price', 7), model });
  expect(told(unpriced('a'), unpriced('b'), unpriced('a'), unpriced('b')).person).toBe(2);
});

it('passes it on again when the streak had ended, but not what a budget says between other events', () => {
  const nudge = say('nudge', cause('same-tool', 15));
  const warn = say('warn', cause('tokens', 80));
  expect(told(nudge, OK, nudge, warn, OK, warn)).toEqual({ person: 3, agent: ['nudge 15', 'nudge 15', 'warn 80'] });
});

it('tells only the agent why it must end: the person is told when it has', () => {
  expect(told(say('stop', cause('tokens', 100)), say('stop', cause('tokens', 100)))).toEqual({
    person: 0,
    agent: ['stop 100'],
  });
});
