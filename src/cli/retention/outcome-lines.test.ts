import { expect, it } from 'vitest';
import type { Outcome } from '../../core/retention/run.ts';
import { doneLines, skippedLines } from './outcome-lines.ts';

const outcome = (given: Partial<Outcome> = {}): Outcome => ({
  item: { kind: 'session', id: 'a' },
  action: 'remove',
  status: 'done',
  sizeBytes: 1024,
  ...given,
});

it('counts what was done by kind of thing, and leaves out what was skipped', () => {
  const lines = doneLines([
    outcome(),
    outcome(),
    outcome({ status: 'skipped' }),
    outcome({ action: 'drop-dumps' }),
    outcome({ item: { kind: 'trash', id: 'r' }, action: 'purge' }),
    outcome({ item: { kind: 'orphan', id: 'sessions/x' } }),
    outcome({ item: { kind: 'orphan', id: 'sessions/y' } }),
    outcome({ item: { kind: 'orphan', id: 'checkpoints/legacy-20260101-000000' } }),
  ]);
  expect(lines).toEqual([
    'Removed 2 sessions (2.0 KB).',
    'Removed the request dumps of 1 session (1.0 KB).',
    'Emptied the trash of 1 earlier run (1.0 KB).',
    'Removed 2 files and folders without a session (2.0 KB).',
    'Removed 1 folder of older checkpoints (1.0 KB).',
  ]);
});

it('says of what was given back whether it was the whole or only files', () => {
  const given = [outcome({ action: 'restore' }), outcome({ action: 'restore', item: { kind: 'session', id: 'b' } })];
  const lines = doneLines(given, ({ item }) => (item.id === 'a' ? 'remove' : 'drop-files'));
  expect(lines).toEqual(['Gave back 1 session (1.0 KB).', 'Gave back the files of 1 session (1.0 KB).']);
});

it('names what was skipped with its reason, made safe to print, and counts the rest', () => {
  expect(skippedLines([outcome()])).toEqual([]);
  const skipped = outcome({ item: { kind: 'session', id: 'a\u001b[2J' }, status: 'skipped', detail: 'It changed.' });
  expect(skippedLines([skipped])).toEqual(['Skipped 1 item:', '  a␛[2J', '    It changed.']);
  const many = skippedLines(Array.from({ length: 12 }, () => skipped));
  expect(many[0]).toBe('Skipped 12 items:');
  expect(many.at(-1)).toBe('  … and 2 more');
});

it('says a reason that several share once, below them', () => {
  const skipped = (id: string, detail: string) => outcome({ item: { kind: 'session', id }, status: 'skipped', detail });
  expect(skippedLines([skipped('a', 'Damaged.'), skipped('b', 'Damaged.'), skipped('c', 'In use.')])).toEqual([
    'Skipped 3 items:',
    '  a',
    '  b',
    '    Damaged.',
    '  c',
    '    In use.',
  ]);
});
