import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { EpochMs } from '../../src/core/time.ts';
import { nextDigest } from './machine.ts';

/** A session as its row says. */
export interface RawSession {
  readonly key: number;
  readonly id: string;
  readonly source: string;
  readonly workdir: string | null;
  readonly lastActiveAt: EpochMs;
  readonly messages: number;
  readonly contentBytes: number;
  readonly fileBytes: number;
}

export interface RawTrashed {
  readonly key: number;
  readonly runId: string;
  readonly expiresAt: EpochMs;
}

/** A home as SQLite and the file system show it, without a line of what is tested. */
export interface RawHome {
  readonly live: ReadonlyMap<string, RawSession>;
  readonly trashed: ReadonlyMap<string, RawTrashed>;
  /** Runs with something in the trash, and when that ends. */
  readonly trashRuns: ReadonlyMap<string, EpochMs>;
  readonly ledger: number;
  /** Of all contents of a session, one after the other. */
  digest(key: number, upTo?: number): { readonly messages: number; readonly digest: string };
}

export function readRaw<T>(home: string, look: (raw: RawHome) => T): T {
  const db = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
  try {
    db.exec('BEGIN');
    const live = db
      .prepare<
        [],
        RawSession
      >(`SELECT key, id, source, workdir, last_active_at AS lastActiveAt, message_count AS messages,
        content_bytes AS contentBytes, transcript_bytes + dump_bytes AS fileBytes FROM sessions WHERE state = 'live'`)
      .all();
    const trashed = db
      .prepare<
        [],
        RawTrashed & { readonly id: string }
      >(`SELECT sessions.key, run_items.item_id AS id, sessions.run_id AS runId,
        runs.expires_at AS expiresAt FROM sessions JOIN run_items ON run_items.run_id = sessions.run_id AND number = run_number
        JOIN runs ON runs.id = sessions.run_id WHERE sessions.state = 'trashed'`)
      .all();
    const expiry = new Map(
      db
        .prepare<[], { id: string; at: number }>('SELECT id, expires_at AS at FROM runs')
        .all()
        .map(({ id, at }) => [id, at]),
    );
    const trashRuns = db
      .prepare<[], string>(`SELECT DISTINCT run_id FROM run_items WHERE state = 'trashed'`)
      .pluck()
      .all();
    const inTrash = [...trashRuns, ...trashed.map(({ runId }) => runId), ...namesIn(join(home, 'trash'))];
    const contents = db
      .prepare<[number], string>('SELECT text FROM messages WHERE session_key = ? ORDER BY seq')
      .pluck();
    return look({
      live: new Map(live.map((session) => [session.id, session])),
      trashed: new Map(trashed.map((session) => [session.id, session])),
      trashRuns: new Map(inTrash.map((run) => [run, expiry.get(run) ?? 0])),
      ledger: Number(db.prepare('SELECT count(*) FROM ledger').pluck().get()),
      digest(key, upTo = Number.POSITIVE_INFINITY) {
        const all = contents.all(key).slice(0, upTo);
        return { messages: all.length, digest: all.reduce(nextDigest, '') };
      },
    });
  } finally {
    db.close();
  }
}

/** What `du` says: blocks, folders included, everything once. */
export function diskUsage(path: string): number {
  const seen = new Set<number>();
  const sum = (entry: string): number => {
    const stat = lstatSync(entry, { throwIfNoEntry: false });
    if (stat === undefined || (stat.nlink > 1 && !stat.isDirectory() && seen.has(stat.ino))) return 0;
    seen.add(stat.ino);
    const own = stat.blocks * 512;
    return stat.isDirectory() ? namesIn(entry).reduce((total, name) => total + sum(join(entry, name)), own) : own;
  };
  return sum(path);
}

/** The digest of a transcript, found by the name of its folder. */
export function transcriptDigest(home: string, id: string): string | undefined {
  for (const shard of namesIn(join(home, 'sessions')))
    for (const name of namesIn(join(home, 'sessions', shard)))
      if (name.includes(id))
        return nextDigest('', readFileSync(join(home, 'sessions', shard, name, 'transcript.jsonl'), 'latin1'));
  return undefined;
}

/** The content of a saved file, as git has it. */
export function savedFile(home: string, checkpoint: string, file: string): string | undefined {
  try {
    const args = ['--git-dir', join(home, 'checkpoints', 'store'), 'cat-file', 'blob', `${checkpoint}:${file}`];
    return nextDigest(
      '',
      execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 }).toString('latin1'),
    );
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
