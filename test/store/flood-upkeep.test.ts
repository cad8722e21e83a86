import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MOST_LOG_BYTES } from '../../src/store/sqlite/database/bound-log.ts';
import { type Connection, openConnection } from '../../src/store/sqlite/database/connection.ts';
import { indexMessages } from '../../src/store/sqlite/search/search-index.ts';

const WRITER = join(import.meta.dirname, '../support/flood-writer.js');
const INDEXES = ['message_words', 'message_parts'] as const;

interface Seen {
  readonly written: number;
  readonly isHelped: boolean;
  readonly mostOwedBytes: number;
  readonly mostLogBytes: number;
}

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-flood-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const database = () => join(root, 'state.db');

function start(...args: readonly (string | number)[]): ChildProcess {
  return spawn(process.execPath, [WRITER, database(), ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function linesOf(child: ChildProcess): Promise<readonly string[]> {
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  await once(child, 'close');
  return text.trimEnd().split('\n');
}

async function flood(...args: readonly (string | number)[]): Promise<Seen> {
  const lines = await linesOf(start(...args));
  return JSON.parse(lines.at(-1) ?? '') as Seen;
}

/** Throws when an index and the text it stands for differ. */
function compare(db: Connection): void {
  for (const index of INDEXES) db.raw.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
}

function found(db: Connection): unknown {
  return db.sql(`SELECT count(*) FROM message_words WHERE message_words MATCH 'elm'`).pluck().get();
}

it('a flood is indexed by a second thread, and never far behind', async () => {
  const seen = await flood(6000, 4000);
  expect(seen).toMatchObject({ written: 6000, isHelped: true });
  expect(seen.mostOwedBytes).toBeGreaterThan(16_000_000);
  expect(seen.mostOwedBytes).toBeLessThan(34_000_000);
  using db = await openConnection(database());
  expect(found(db)).toBe(6000);
  compare(db);
});

it('the log of a flood is never larger than its bound and one transaction, however busy the machine is', async () => {
  const seen = await flood(240, 1_000_000);
  expect(seen.written).toBe(240);
  // One transaction is a message of each of the sixteen who write. A page of the log has a head of its own, and the index its pages.
  expect(seen.mostLogBytes).toBeLessThan(MOST_LOG_BYTES + 16 * 1_000_000 * 1.05);
});

it('a process that leaves without closing the home ends by itself, and what it was told is stored is stored', async () => {
  expect((await flood(3000, 2000, 'leave')).written).toBe(3000);
  using db = await openConnection(database());
  while (indexMessages(db, 1_000_000).isLeft);
  expect(found(db)).toBe(3000);
  compare(db);
});

it('a process that is killed in a flood loses nothing it was told is stored, and table and indexes agree', async () => {
  const child = start(20_000, 8000);
  let lines = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    lines += chunk.toString().split('\n').length - 1;
    if (lines > 4000) child.kill('SIGKILL');
  });
  const told = (await linesOf(child)).filter((line) => /^\d+$/.test(line)).map(Number);
  using db = await openConnection(database());
  compare(db);
  const stored = new Set(db.sql<[], number>('SELECT seq FROM messages').pluck().all());
  expect(told.filter((seq) => !stored.has(seq))).toEqual([]);
  while (indexMessages(db, 1_000_000).isLeft);
  expect(found(db)).toBe(stored.size);
  compare(db);
});
