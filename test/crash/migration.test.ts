import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { SESSIONS_SCHEMA } from '../../src/store/sqlite/schema/001-sessions.ts';
import { SCHEMA_VERSION } from '../../src/store/sqlite/schema/migrations.ts';
import { messagesOf } from '../support/collect.ts';
import { openNativeStore } from '../support/native-store.ts';
import { STRACE_WORKS, strace } from '../support/strace.ts';
import { tempDir } from '../support/temp-dir.ts';

const CALLS = ['pwrite64', 'fdatasync', 'fsync', 'unlink', 'ftruncate'];
const POINTS_PER_CALL = process.env['COPPICE_TORTURE'] === undefined ? 6 : Number.POSITIVE_INFINITY;
const OPEN = `import(${JSON.stringify(resolve(import.meta.dirname, '../support/worker-store.js'))})
  .then(async ({ openWorkerStore }) => (await openWorkerStore(process.argv[1]))[Symbol.asyncDispose]())`;

describe.skipIf(!STRACE_WORKS)('a process that is killed while it brings an old database up to date', () => {
  it('leaves one that the next process brings up to date, with everything in it', { timeout: 600_000 }, async () => {
    const directory = tempDir();
    const old = join(directory, 'old');
    makeFirstSchema(old);
    const made = callsOf(directory, old);
    const points = CALLS.flatMap((call) => spread(made.filter((name) => name === call).length, call));
    expect(points.length).toBeGreaterThan(5);
    const versions = new Set<number>();
    for (const { call, when } of points) {
      const home = copyOf(directory, old);
      const { signal } = open(home, strace({ calls: [call], inject: `${call}:signal=SIGKILL:when=${when}` }));
      expect({ call, when, signal }).toEqual({ call, when, signal: 'SIGKILL' });
      versions.add(checkRaw(home));
      await using store = await openNativeStore(home);
      expect(await messagesOf(store, 's')).toMatchObject([{ seq: 1, content: 'kept' }]);
      expect(checkRaw(home)).toBe(SCHEMA_VERSION);
    }
    // Killed before, between and after steps: a harness that always comes too late proves nothing.
    expect(versions.size).toBeGreaterThan(1);
  });
});

describe('an old database', () => {
  it('learns which of its rows are output, also beside one that is damaged', async () => {
    const home = join(tempDir(), 'home');
    makeFirstSchema(home);
    const raw = new BetterSqlite3(join(home, 'state.db'));
    raw.exec(`INSERT INTO messages (session_key, seq, role, at, text, extra) VALUES
      (1, 2, 'tool', 1, 'printed', '{"name":"stdout"}'), (1, 3, 'tool', 1, 'said', '{"toolCallId":"a","name":"stdout"}'),
      (1, 4, 'tool', 1, 'damaged', '{"name":"std'), (1, 5, 'user', 1, '', '{"name":"stdout"}');
      UPDATE sessions SET last_seq = 5, message_count = 5`);
    raw.close();
    await using store = await openNativeStore(home);
    expect(await store.get('s')).toMatchObject({ messageCount: 4, outputCount: 1 });
  });
});

/** A database as the first version of Coppice left it. */
function makeFirstSchema(home: string): void {
  mkdirSync(home, { mode: 0o700 });
  const raw = new BetterSqlite3(join(home, 'state.db'));
  raw.pragma('auto_vacuum = INCREMENTAL');
  raw.pragma('journal_mode = WAL');
  raw.pragma('application_id = 0x636f7070');
  raw.exec(SESSIONS_SCHEMA);
  raw.exec(`INSERT INTO sessions (id, state, source, started_at, last_active_at, last_seq, message_count, content_bytes)
    VALUES ('s', 'live', 'cli', 1, 1, 1, 1, 4);
    INSERT INTO messages (session_key, seq, role, at, text) VALUES (1, 1, 'user', 1, 'kept');
    PRAGMA user_version = 1`);
  raw.close();
}

function copyOf(directory: string, old: string): string {
  const home = join(mkdtempSync(join(directory, 'copy-')), 'home');
  cpSync(old, home, { recursive: true });
  return home;
}

function open(home: string, [command = '', ...under]: readonly string[]) {
  return spawnSync(command, [...under, process.execPath, '-e', OPEN, home], {
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
}

/** The calls that a whole migration makes on its main thread. */
function callsOf(directory: string, old: string): string[] {
  const log = join(directory, 'calls.log');
  const { status } = open(copyOf(directory, old), strace({ calls: CALLS, log }));
  expect(status).toBe(0);
  const lines = readFileSync(log, 'utf8').split('\n');
  const [main] = lines[0]?.split(' ', 1) ?? [];
  return lines.filter((line) => line.startsWith(`${main} `)).map((line) => /^\d+ +(\w+)\(/.exec(line)?.[1] ?? '');
}

/** The schema of a database that is sound. */
function checkRaw(home: string): number {
  const raw = new BetterSqlite3(join(home, 'state.db'));
  try {
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(raw.pragma('foreign_key_check')).toEqual([]);
    return Number(raw.pragma('user_version', { simple: true }));
  } finally {
    raw.close();
  }
}

function spread(count: number, call: string): { call: string; when: number }[] {
  const size = Math.min(count, POINTS_PER_CALL);
  return Array.from({ length: size }, (_, index) => ({ call, when: 1 + Math.floor(((index + 0.5) * count) / size) }));
}
