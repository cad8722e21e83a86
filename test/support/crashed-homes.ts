import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { NOW } from '../capture-io.ts';
import { manualClock } from './clock.ts';
import { treeOf } from './engine-checker.ts';
import { type CrashedKind, EARLY, KEPT, SUBJECTS } from './first-commands.ts';
import { dumpHermes, hermesProblems } from './hermes-dump.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from './hermes-home.ts';

/** A home of Coppice. */
export const NATIVE: CrashedKind = {
  now: NOW,
  journal: (home) => join(home, 'state.db'),
  live: (home) => query(join(home, 'state.db'), `SELECT id FROM sessions WHERE state = 'live' ORDER BY id`),
  dump: (home) => ({
    sessions: query(join(home, 'state.db'), NATIVE_SESSIONS),
    messages: query(join(home, 'state.db'), NATIVE_MESSAGES),
    files: treeOf(join(home, 'sessions')),
  }),
  damage: (home) => query(join(home, 'state.db'), 'PRAGMA integrity_check').filter((line) => line !== 'ok'),
};

/** A home of Hermes. */
export const HERMES: CrashedKind = {
  now: HERMES_NOW,
  journal: (home) => join(home, '.coppice', 'state.db'),
  live: (home) => query(join(home, 'state.db'), 'SELECT id FROM sessions ORDER BY id'),
  dump: (home) => dumpHermes(home, ['hello', 'message']),
  damage: hermesProblems,
};

/** Builds one with all sessions that commands are about, as of that time. */
export async function buildNative(home: string, now = NOW): Promise<string> {
  const clock = manualClock(now - 100 * DAY_MS);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'disk:\n  ballast_mb: never\n', { mode: 0o600 });
  await using made = await openHome({ path: home, clock });
  for (const id of [...SUBJECTS, EARLY, ...KEPT]) {
    if (KEPT.includes(id)) clock.set(now - 5 * HOUR_MS);
    const session = await made.sessions.create({ id, source: 'cli', title: `about ${id}` });
    await session.appendAll(Array.from({ length: 4 }, (_, at) => ({ role: 'user', content: `${id} message ${at}` })));
    await session.dump({ url: 'https://example.com', body: { id } });
    await session.end('done');
  }
  return home;
}

const MANY = Array.from({ length: 30 }, (_, at) => `message ${at}`);

/** The same in a home of Hermes, whose sessions are of one time. */
export async function buildHermes(home: string): Promise<string> {
  return buildHermesHome(home, {
    schema: 30,
    sessions: [
      { id: 'trunk', messages: ['hello', 'start'], files: ['snapshot', 'dump'] },
      { id: 'twig', parent: 'trunk', messages: ['hello'], modelConfig: { _branched_from: 'trunk' } },
      { id: 'long', messages: MANY, files: ['transcript'] },
      { id: EARLY, messages: ['hello'] },
      ...KEPT.map((id) => ({ id, messages: MANY, startedAt: HERMES_NOW - HERMES_DAY })),
    ],
  });
}

const NATIVE_SESSIONS = `SELECT json_array(id, title, source, parent_id, tags, started_at, last_active_at, ended_at, message_count,
  content_bytes, transcript_bytes, dump_bytes, cost_nano_usd) FROM sessions WHERE state = 'live' ORDER BY id`;
const NATIVE_MESSAGES = `SELECT json_array(sessions.id, seq, role, at, text) FROM messages JOIN sessions ON key = session_key
  WHERE state = 'live' ORDER BY sessions.id, seq`;

/** What a database says, read by SQLite alone. */
export function query(database: string, sql: string): string[] {
  const db = new BetterSqlite3(database, { readonly: true });
  try {
    return db.prepare<[], string>(sql).pluck().all();
  } finally {
    db.close();
  }
}
