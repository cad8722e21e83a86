import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import type { LedgerEntry } from '../../core/session.ts';
import { IN_MEMORY } from './connection.ts';
import { openSqliteStore } from './sqlite-store.ts';

const ENTRY: LedgerEntry = {
  id: 's',
  source: 'cli',
  title: 'Gone',
  startedAt: 1,
  lastActiveAt: 2,
  endedAt: 3,
  endReason: 'done',
  messageCount: 4,
  toolCallCount: 1,
  usageByModel: [],
  removedAt: 5,
};

const open = () =>
  openSqliteStore({
    path: IN_MEMORY,
    scratchDir: '/nowhere',
    clock: { now: () => 0 },
    transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
  });

describe('the ledger of sessions that lived elsewhere', () => {
  it('keeps each once for a run, however often it is asked to', async () => {
    await using store = await open();
    await store.ledgerBook.write('run', [ENTRY, { ...ENTRY, id: 't' }]);
    await store.ledgerBook.write('run', [ENTRY]);
    expect(await collect(store.ledger())).toEqual([ENTRY, { ...ENTRY, id: 't' }]);
  });

  it('forgets those that came back, and only what that run took', async () => {
    await using store = await open();
    await store.ledgerBook.write('one', [ENTRY]);
    await store.ledgerBook.write('two', [ENTRY]);
    await store.ledgerBook.erase('two', ['s', 'never there']);
    expect(await collect(store.ledger())).toEqual([ENTRY]);
    await store.ledgerBook.erase('one', ['s']);
    expect(await collect(store.ledger())).toEqual([]);
  });
});
