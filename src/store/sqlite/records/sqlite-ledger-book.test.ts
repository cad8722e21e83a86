import { describe, expect, it } from 'vitest';
import { collect } from '../../../../test/support/collect.ts';
import type { LedgerQuery } from '../../../core/stores/ledger-book.ts';
import type { LedgerEntry } from '../../../core/sessions/session.ts';
import { IN_MEMORY } from '../database/connection.ts';
import { openSqliteStore } from '../sqlite-store.ts';

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
    expect(await collect(store.ledger())).toEqual([
      { ...ENTRY, id: 't', number: 2 },
      { ...ENTRY, number: 1 },
    ]);
  });

  it('forgets those that came back, and only what that run took', async () => {
    await using store = await open();
    await store.ledgerBook.write('one', [ENTRY]);
    await store.ledgerBook.write('two', [ENTRY]);
    await store.ledgerBook.erase('two', ['s', 'never there']);
    expect(await collect(store.ledger())).toEqual([{ ...ENTRY, number: 1 }]);
    await store.ledgerBook.erase('one', ['s']);
    expect(await collect(store.ledger())).toEqual([]);
  });
});

describe('reading the ledger', () => {
  it('goes from the last to the first over many pages, and on from any place', async () => {
    await using store = await open();
    const ids = Array.from({ length: 450 }, (_, at) => `s${at}`);
    await store.ledgerBook.write(
      'run',
      ids.map((id) => ({ ...ENTRY, id })),
    );
    const idsOf = async (query?: LedgerQuery) => (await collect(store.ledger(query))).map(({ id }) => id);
    expect(await idsOf()).toEqual(ids.toReversed());
    expect(await idsOf({ limit: 201 })).toEqual(ids.toReversed().slice(0, 201));
    expect(await idsOf({ limit: 200 })).toHaveLength(200);
    const seen = await collect(store.ledger({ limit: 300 }));
    expect(await idsOf({ below: seen.at(-1)?.number ?? 0 })).toEqual(ids.toReversed().slice(300));
  });

  it('narrows down by source and by when they were last active', async () => {
    await using store = await open();
    await store.ledgerBook.write('run', [
      { ...ENTRY, id: 'old', lastActiveAt: 10 },
      { ...ENTRY, id: 'new', lastActiveAt: 20 },
      { ...ENTRY, id: 'other', lastActiveAt: 20, source: 'cron' },
    ]);
    const idsOf = async (query: LedgerQuery) => (await collect(store.ledger(query))).map(({ id }) => id);
    expect(await idsOf({ since: 20 })).toEqual(['other', 'new']);
    expect(await idsOf({ before: 20 })).toEqual(['old']);
    expect(await idsOf({ source: 'cli', since: 10, before: 21 })).toEqual(['new', 'old']);
  });
});
