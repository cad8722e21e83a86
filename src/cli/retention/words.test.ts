import { expect, it } from 'vitest';
import type { PlanRequest } from '../../core/retention/plan.ts';
import { REASON_WORDS } from '../../core/retention/words.ts';
import { requestWords } from './words.ts';

it('has a phrase of its own for every reason, short enough for a table', () => {
  const phrases = Object.values(REASON_WORDS);
  expect(new Set(phrases).size).toBe(phrases.length);
  for (const phrase of phrases) expect(phrase).toMatch(/^[a-z][^.\n]{1,34}$/);
});

const REQUESTS: readonly [PlanRequest, string][] = [
  [{ kind: 'policy' }, 'by the rules'],
  [{ kind: 'delete', ids: ['a'] }, 'delete 1 session'],
  [{ kind: 'prune', filter: {}, part: 'all' }, 'prune'],
  [
    {
      kind: 'prune',
      filter: { source: 'cli', maxMessages: 2, title: 'x', workdir: '/w', model: 'm', endedBy: 'done' },
      before: new Date(2026, 0, 31, 12).getTime(),
      part: 'files',
    },
    'prune, older than 2026-01-31, files only, source cli, at most 2 messages, title x, in /w, model m, ended by done',
  ],
  [{ kind: 'gc', filter: {}, emptyMs: 1, trivialMs: 1, trivialMaxMessages: 1 }, 'gc'],
];

it.each(REQUESTS)('says what was asked for: %j', (request, words) => {
  expect(requestWords(request)).toBe(words);
});
