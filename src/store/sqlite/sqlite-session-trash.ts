import { noSuchSession } from '../../core/check-session.ts';
import type { ItemOutcome } from '../../core/run.ts';
import { type SessionTrash, sessionFingerprint, type TakenFiles, type TrashRequest } from '../../core/session-trash.ts';
import type { Clock } from '../../core/time.ts';
import type { Connection } from './connection.ts';
import { dropRows, writeLedger } from './session-removal.ts';
import { factsOf, type SessionRow } from './session-rows.ts';
import { findRow } from './session-writes.ts';
import type { WriteQueue } from './write-queue.ts';

/** Takes sessions out of sight and back, by a state in their row. */
export function createSessionTrash(db: Connection, queue: WriteQueue, clock: Clock): SessionTrash {
  const each = (requests: readonly TrashRequest[], act: (request: TrashRequest) => ItemOutcome) =>
    queue.run(() => requests.map(act), requests.length);
  return {
    hide: (run, requests, dead) => each(requests, (request) => hide(db, { run, request, dead, now: clock.now() })),
    show: (run, requests) => each(requests, (request) => show(db, run, request)),
    async drop(run, requests) {
      const keys = requests.flatMap(({ number }) => hiddenRow(db, run, number)?.key ?? []);
      if (keys.length > 0) await dropRows(db, queue, keys);
    },
    takeFiles: (run, request, { part, deadHolders }) =>
      queue.run(() => takeFiles(db, { run, request, part, dead: deadHolders })),
    returnFiles: (run, request) => queue.run(() => returnFiles(db, run, request)),
    giveBack: async (maxBytes) => giveBack(db, maxBytes),
  };
}

interface Hiding {
  readonly run: string;
  readonly request: TrashRequest;
  readonly dead: readonly string[];
  readonly now: number;
}

function hide(db: Connection, { run, request, dead, now }: Hiding): ItemOutcome {
  const { number, id } = request;
  if (hiddenRow(db, run, number) !== undefined) return { number, status: 'done' };
  const row = findRow(db, id);
  const obstacle = row === undefined ? 'It is gone already.' : obstacleTo(db, row, { request, dead });
  if (row === undefined || obstacle !== undefined) return { number, status: 'skipped', detail: obstacle ?? '' };
  writeLedger(db, row, { now, run });
  // The id is free at once: no caller's id can hold a control character.
  db.sql(`UPDATE sessions SET state = 'trashed', id = char(1) || key, run_id = ?, run_number = ? WHERE key = ?`).run(
    run,
    number,
    row.key,
  );
  return { number, status: 'done' };
}

/** Looked at under the write lock, so that nothing can change between the look and the step. */
function obstacleTo(
  db: Connection,
  row: SessionRow,
  { request, dead }: { request: TrashRequest; dead: readonly string[] },
): string | undefined {
  if (sessionFingerprint(factsOf(row)) !== request.fingerprint) return 'It has changed since the plan was made.';
  const held = db
    .sql('SELECT 1 FROM leases WHERE session_key = ? AND holder_id NOT IN (SELECT value FROM json_each(?))')
    .get(row.key, JSON.stringify(dead));
  return held === undefined ? undefined : 'A process is using it.';
}

function show(db: Connection, run: string, { number, id }: TrashRequest): ItemOutcome {
  const row = hiddenRow(db, run, number);
  const taken = findRow(db, id) !== undefined;
  // Shown before a crash: the row is live again, under its own id.
  if (row === undefined) return taken ? { number, status: 'done' } : skipped(number, 'Its messages are gone for good.');
  if (taken) return skipped(number, 'Another session has its id by now.');
  db.sql(`UPDATE sessions SET state = 'live', id = ?, run_id = NULL, run_number = NULL WHERE key = ?`).run(id, row.key);
  db.sql('DELETE FROM ledger WHERE run_id = ? AND id = ?').run(run, id);
  return { number, status: 'done' };
}

interface Taking {
  readonly run: string;
  readonly request: TrashRequest;
  readonly part: 'all' | 'dumps';
  readonly dead: readonly string[];
}

function takeFiles(db: Connection, { run, request, part, dead }: Taking): ItemOutcome {
  const { number, id } = request;
  if (takenBefore(db, run, number) !== undefined) return { number, status: 'done' };
  const row = findRow(db, id);
  const obstacle = row === undefined ? 'It is gone already.' : obstacleTo(db, row, { request, dead });
  if (row === undefined || obstacle !== undefined) return skipped(number, obstacle ?? '');
  const taken: TakenFiles = {
    mark: { seq: row.transcript_seq, sizeBytes: row.transcript_bytes },
    dumpBytes: row.dump_bytes,
  };
  db.sql('UPDATE run_items SET taken = ? WHERE run_id = ? AND number = ?').run(JSON.stringify(taken), run, number);
  db.sql('UPDATE sessions SET dump_bytes = 0 WHERE key = ?').run(row.key);
  if (part === 'all') {
    // A transcript begun after this starts with the next message: what came before is in the database.
    db.sql('UPDATE sessions SET transcript_bytes = 0, transcript_seq = last_seq WHERE key = ?').run(row.key);
  }
  return { number, status: 'done' };
}

function returnFiles(db: Connection, run: string, { number, id }: TrashRequest): ItemOutcome {
  const taken = takenBefore(db, run, number);
  const row = findRow(db, id);
  if (taken === undefined || row === undefined) throw noSuchSession(id);
  db.sql('UPDATE sessions SET transcript_bytes = ?, transcript_seq = ?, dump_bytes = ? WHERE key = ?').run(
    taken.mark.sizeBytes,
    taken.mark.seq,
    taken.dumpBytes,
    row.key,
  );
  return { number, status: 'done' };
}

function takenBefore(db: Connection, run: string, number: number): TakenFiles | undefined {
  const text = db
    .sql<[string, number], string | null>('SELECT taken FROM run_items WHERE run_id = ? AND number = ?')
    .pluck()
    .get(run, number);
  return text === undefined || text === null ? undefined : (JSON.parse(text) as TakenFiles);
}

function hiddenRow(db: Connection, run: string, number: number): SessionRow | undefined {
  return db
    .sql<[string, number], SessionRow>('SELECT * FROM sessions WHERE run_id = ? AND run_number = ?')
    .get(run, number);
}

function skipped(number: number, detail: string): ItemOutcome {
  return { number, status: 'skipped', detail };
}

/** `incremental_vacuum` by exec: prepared, it frees a single page however many are asked for. */
function giveBack({ raw }: Connection, maxBytes: number): number {
  const pageSize = Number(raw.pragma('page_size', { simple: true }));
  const before = Number(raw.pragma('freelist_count', { simple: true }));
  if (before === 0) return 0;
  raw.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(maxBytes / pageSize))})`);
  raw.pragma('wal_checkpoint(TRUNCATE)');
  return (before - Number(raw.pragma('freelist_count', { simple: true }))) * pageSize;
}
