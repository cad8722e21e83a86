import { Failure } from '../../../core/failure.ts';
import { done, skip } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome } from '../../../core/retention/run.ts';
import type { Message } from '../../../core/sessions/message.ts';
import type { SealRequest, SessionArchive } from '../../../core/stores/session-archive.ts';
import type { HideOptions, TrashRequest } from '../../../core/stores/session-trash.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { searchedText } from '../search/searched-text.ts';
import { insertMessages } from '../sessions/message-writes.ts';
import { dropMessages } from '../sessions/session-removal.ts';
import { findKeptRow, findRow } from '../sessions/session-writes.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { archiveDocuments } from './archive-documents.ts';
import {
  archivedById,
  archivedOf,
  archivedRow,
  bundleUses,
  listArchived,
  lockArchivedById,
  lockArchivedRow,
  promptsOf,
} from './archive-rows.ts';
import { eraseTrace, hiddenRow, hideRow, type Step, takeableRow } from './take-row.ts';

/** Keeps archived sessions as rows without messages, beside a table that says where their content is. */
export function createSessionArchive(db: Database, write: WriteTurn, clock: Clock): SessionArchive {
  const inOne = (requests: readonly TrashRequest[], act: (tx: Sql, request: TrashRequest) => Promise<ItemOutcome>) =>
    write(async (tx) => {
      const outcomes: ItemOutcome[] = [];
      for (const request of requests) outcomes.push(await act(tx, request));
      return outcomes;
    });
  return {
    documents: (id) => archiveDocuments(db, id),
    async seal(run, requests, options) {
      const outcomes: ItemOutcome[] = [];
      for (const request of requests) {
        outcomes.push(await sealOne(db, write, { run, request, ...options, now: clock.now() }));
      }
      const sealed = outcomes.filter(({ status }) => status === 'done');
      const rows = await Promise.all(sealed.map(({ number }) => archivedRow(db, run, number)));
      const keys = rows.flatMap((row) => row?.key ?? []);
      if (keys.length > 0) await dropMessages(write, keys);
      return outcomes;
    },
    async find(run, number) {
      const row = await archivedRow(db, run, number);
      return row && { ...archivedOf(row), trashed: row.state === 'trashed' };
    },
    async get(id) {
      const row = await archivedById(db, id);
      return row && archivedOf(row);
    },
    async prompts(id) {
      const row = await db.get<{ prompts: string }>(
        `SELECT prompts FROM coppice.archives a JOIN coppice.sessions s ON s.key = a.session_key
         WHERE a.space = :space AND s.id = ? AND s.state = 'archived'`,
        id,
      );
      return row?.prompts;
    },
    async clear(run, number) {
      const key = await write((tx) => requireArchived(tx, run, number));
      await dropMessages(write, [key]);
    },
    put: (run, number, messages) => write((tx) => put(tx, { run, number, messages })),
    unseal: (run, request, files) => write((tx) => unseal(tx, { run, request, files })),
    hide: (run, requests) => inOne(requests, (tx, request) => hide(tx, { run, request, now: clock.now() })),
    show: (run, requests) => inOne(requests, (tx, request) => show(tx, run, request)),
    list: (bundle) => listArchived(db, bundle),
    bundles: () => bundleUses(db),
    move: (moves) =>
      write(async (tx) => {
        const update = `UPDATE coppice.archives SET bundle = ?, offset_bytes = ?
          WHERE space = :space AND run_id = ? AND run_number = ?`;
        for (const { runId, number, member } of moves) {
          await tx.run(update, member.bundle, member.offsetBytes, runId, number);
        }
      }),
  };
}

interface Sealing extends HideOptions {
  readonly run: string;
  readonly request: SealRequest;
  readonly now: EpochMs;
}

/** The prompts are read before: if a message comes in between, the fingerprint shows it. */
async function sealOne(db: Database, write: WriteTurn, step: Sealing): Promise<ItemOutcome> {
  const row = await findRow(db, step.request.id);
  const prompts = row === undefined ? '' : await promptsOf(db, row.key);
  return write((tx) => seal(tx, step, prompts));
}

async function seal(tx: Sql, step: Sealing, prompts: string): Promise<ItemOutcome> {
  const { run, request, files, now } = step;
  const { number, member } = request;
  if ((await lockArchivedRow(tx, run, number)) !== undefined) {
    // Sealed before a crash, and a power cut may have undone the move. What is not what was taken stays where it is.
    if (files.take(request) !== undefined) files.letGo(request);
    return done(request);
  }
  if (member === undefined) return skip(request, 'It is gone already.');
  const row = await takeableRow(tx, step);
  if (typeof row === 'string') return skip(request, row);
  await tx.run(`UPDATE coppice.sessions SET state = 'archived', archived_at = ? WHERE key = ?`, now, row.key);
  const { words, folded } = searchedText(prompts);
  await tx.run(
    'INSERT INTO coppice.archives VALUES (?, :space, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::text[], ?)',
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
    words,
    folded,
  );
  return done(request);
}

/** The key of a session that is in the archive and being restored. */
async function requireArchived(tx: Sql, run: string, number: number): Promise<number> {
  const row = await lockArchivedRow(tx, run, number);
  if (row?.state !== 'archived') throw new Failure('failed', `Item ${number} of run ${run} is not in the archive.`);
  return row.key;
}

interface Put {
  readonly run: string;
  readonly number: number;
  readonly messages: readonly Message[];
}

async function put(tx: Sql, { run, number, messages }: Put): Promise<void> {
  const key = await requireArchived(tx, run, number);
  await insertMessages(tx, key, messages);
  // They are searched again once somebody has indexed them.
  const before = Math.min(...messages.map(({ seq }) => seq)) - 1;
  await tx.run('UPDATE coppice.sessions SET indexed_seq = least(indexed_seq, ?) WHERE key = ?', before, key);
}

async function unseal(tx: Sql, { run, request, files }: Step): Promise<ItemOutcome> {
  const row = await lockArchivedRow(tx, run, request.number);
  if (row === undefined && (await findRow(tx, request.id)) === undefined) return skip(request, 'It is gone for good.');
  if (row?.state === 'trashed') return skip(request, 'Its archive is in the trash.');
  if (row !== undefined && (await messagesOf(tx, row.key)) !== row.message_count) {
    return skip(request, 'Its archive does not hold all of its messages.');
  }
  const obstacle = files.bringBack(request);
  // Restored before a crash: the row is live again.
  if (row === undefined) return done(request);
  if (obstacle !== undefined) return skip(request, obstacle);
  await tx.run(`UPDATE coppice.sessions SET state = 'live', archived_at = NULL WHERE key = ?`, row.key);
  await tx.run(
    `UPDATE coppice.run_items SET state = 'purged' WHERE space = :space AND run_id = ? AND number = ? AND state = 'archived'`,
    run,
    request.number,
  );
  await tx.run('DELETE FROM coppice.archives WHERE session_key = ?', row.key);
  return done(request);
}

async function messagesOf(tx: Sql, key: number): Promise<number> {
  const row = await tx.get<{ count: number }>('SELECT count(*) FROM coppice.messages WHERE session_key = ?', key);
  return row?.count ?? 0;
}

async function hide(tx: Sql, { run, request, now }: Omit<Step, 'files'> & { now: EpochMs }): Promise<ItemOutcome> {
  if ((await hiddenRow(tx, run, request.number)) !== undefined) return done(request);
  const row = await lockArchivedById(tx, request.id);
  if (row === undefined) return skip(request, 'It is gone already.');
  if (row.pinned === 1) return skip(request, 'It is pinned.');
  if (row.sha256 !== request.fingerprint) return skip(request, 'It has changed since the plan was made.');
  return hideRow(tx, row, { run, number: request.number, now });
}

async function show(tx: Sql, run: string, request: TrashRequest): Promise<ItemOutcome> {
  const row = await hiddenRow(tx, run, request.number);
  const taken = (await findKeptRow(tx, request.id)) !== undefined;
  if (row === undefined) return taken ? done(request) : skip(request, 'It is gone for good.');
  if (taken) return skip(request, 'Another session has its id by now.');
  await tx.run(
    `UPDATE coppice.sessions SET state = 'archived', id = ?, run_id = NULL, run_number = NULL WHERE key = ?`,
    request.id,
    row.key,
  );
  await eraseTrace(tx, run, request.id);
  return done(request);
}
