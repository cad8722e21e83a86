import { Failure } from '../../../core/failure.ts';
import type { ItemOutcome } from '../../../core/retention/run.ts';
import type { SealRequest, SessionArchive } from '../../../core/stores/session-archive.ts';
import type { HideOptions, TrashRequest } from '../../../core/stores/session-trash.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';
import { dropMessages } from '../sessions/drop-messages.ts';
import { insertMessages } from '../sessions/message-writes.ts';
import { findKeptRow, findRow } from '../sessions/session-writes.ts';
import { archiveDocuments } from './archive-documents.ts';
import { archivedById, archivedOf, archivedRow, bundleUses, listArchived, promptsOf } from './archive-rows.ts';
import { hiddenRow, hideRow, type Step, skipped, takeableRow } from './sqlite-session-trash.ts';

/** Keeps archived sessions as rows without messages, beside a table that says where their content is. */
export function createSessionArchive(db: Connection, queue: PatientQueue, clock: Clock): SessionArchive {
  return {
    documents: (id) => archiveDocuments(db, id),
    async seal(run, requests, options) {
      const outcomes = await Promise.all(
        requests.map((request) => sealOne(db, queue, { run, request, ...options, now: clock.now() })),
      );
      const done = outcomes.filter(({ status }) => status === 'done');
      const keys = done.flatMap(({ number }) => archivedRow(db, run, number)?.key ?? []);
      if (keys.length > 0) await dropMessages(db, queue, { keys });
      return outcomes;
    },
    async find(run, number) {
      const row = archivedRow(db, run, number);
      return row && { ...archivedOf(row), trashed: row.state === 'trashed' };
    },
    async get(id) {
      const row = archivedById(db, id);
      return row && archivedOf(row);
    },
    async prompts(id) {
      return db
        .sql<[string], string>(
          `SELECT prompts FROM archives JOIN sessions ON key = session_key WHERE id = ? AND state = 'archived'`,
        )
        .pluck()
        .get(id);
    },
    async clear(run, number) {
      await dropMessages(db, queue, { keys: [requireArchived(db, run, number)] });
    },
    async put(run, number, messages) {
      await queue.run(() => insertMessages(db, requireArchived(db, run, number), messages), messages.length);
    },
    unseal: (run, request, files) => queue.run(() => unseal(db, { run, request, files })),
    hide: (run, requests) =>
      queue.run(() => requests.map((request) => hide(db, { run, request, now: clock.now() })), requests.length),
    show: (run, requests) => queue.run(() => requests.map((request) => show(db, run, request)), requests.length),
    list: (bundle) => listArchived(db, bundle),
    async bundles() {
      return bundleUses(db);
    },
    async move(moves) {
      const update = db.sql('UPDATE archives SET bundle = ?, offset_bytes = ? WHERE run_id = ? AND run_number = ?');
      await queue.run(() => {
        for (const { runId, number, member } of moves) update.run(member.bundle, member.offsetBytes, runId, number);
      }, moves.length);
    },
  };
}

interface Sealing extends HideOptions {
  readonly run: string;
  readonly request: SealRequest;
  readonly now: EpochMs;
}

/** Indexing a thousand characters takes about as long as storing a message. */
const CHARACTERS_PER_ROW = 1000;

/** The prompts are read before: if a message comes in between, the fingerprint shows it. */
function sealOne(db: Connection, queue: PatientQueue, step: Sealing): Promise<ItemOutcome> {
  const row = findRow(db, step.request.id);
  const prompts = row === undefined ? '' : promptsOf(db, row.key);
  return queue.run(() => seal(db, step, prompts), 1 + Math.ceil(prompts.length / CHARACTERS_PER_ROW));
}

function seal(db: Connection, step: Sealing, prompts: string): ItemOutcome {
  const { run, request, files, now } = step;
  const { number, member } = request;
  if (archivedRow(db, run, number) !== undefined) {
    // Sealed before a crash, and a power cut may have undone the move. What is not what was taken stays where it is.
    if (files.take(request) !== undefined) files.letGo(request);
    return { number, status: 'done' };
  }
  if (member === undefined) return skipped(number, 'It is gone already.');
  const row = takeableRow(db, step);
  if (typeof row === 'string') return skipped(number, row);
  db.sql(`UPDATE sessions SET state = 'archived', archived_at = ? WHERE key = ?`).run(now, row.key);
  db.sql('INSERT INTO archives VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    row.key,
    run,
    number,
    member.bundle,
    member.offsetBytes,
    member.lengthBytes,
    member.codec,
    member.sha256,
    member.plainBytes,
    member.lineCount,
    prompts,
  );
  return { number, status: 'done' };
}

/** The key of a session that is in the archive and being restored. */
function requireArchived(db: Connection, run: string, number: number): number {
  const row = archivedRow(db, run, number);
  if (row?.state !== 'archived') throw new Failure('failed', `Item ${number} of run ${run} is not in the archive.`);
  return row.key;
}

function unseal(db: Connection, { run, request, files }: Step): ItemOutcome {
  const { number, id } = request;
  const row = archivedRow(db, run, number);
  if (row === undefined && findRow(db, id) === undefined) return skipped(number, 'It is gone for good.');
  if (row?.state === 'trashed') return skipped(number, 'Its archive is in the trash.');
  const count = db.sql<[number], number>('SELECT count(*) FROM messages WHERE session_key = ?').pluck();
  if (row !== undefined && count.get(row.key) !== row.message_count)
    return skipped(number, 'Its archive does not hold all of its messages.');
  const obstacle = files.bringBack(request);
  // Restored before a crash: the row is live again.
  if (row === undefined) return { number, status: 'done' };
  if (obstacle !== undefined) return skipped(number, obstacle);
  db.sql(`UPDATE sessions SET state = 'live', archived_at = NULL WHERE key = ?`).run(row.key);
  db.sql('DELETE FROM archives WHERE session_key = ?').run(row.key);
  return { number, status: 'done' };
}

function hide(db: Connection, { run, request, now }: Omit<Step, 'files'> & { readonly now: EpochMs }): ItemOutcome {
  const { number, id, fingerprint } = request;
  if (hiddenRow(db, run, number) !== undefined) return { number, status: 'done' };
  const row = archivedById(db, id);
  if (row === undefined) return skipped(number, 'It is gone already.');
  if (row.pinned === 1) return skipped(number, 'It is pinned.');
  if (row.sha256 !== fingerprint) return skipped(number, 'It has changed since the plan was made.');
  return hideRow(db, row, { run, number, now });
}

function show(db: Connection, run: string, { number, id }: TrashRequest): ItemOutcome {
  const row = hiddenRow(db, run, number);
  const taken = findKeptRow(db, id) !== undefined;
  if (row === undefined) return taken ? { number, status: 'done' } : skipped(number, 'It is gone for good.');
  if (taken) return skipped(number, 'Another session has its id by now.');
  db.sql(`UPDATE sessions SET state = 'archived', id = ?, run_id = NULL, run_number = NULL WHERE key = ?`).run(
    id,
    row.key,
  );
  db.sql('DELETE FROM ledger WHERE run_id = ? AND id = ?').run(run, id);
  return { number, status: 'done' };
}
