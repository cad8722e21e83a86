import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { PartWriter, SaidMessage, WritePart } from '../../../core/stores/search-book.ts';
import { findProcess } from '../../../platform/machine/find-process.ts';
import {
  BLOCK_CHARACTERS,
  type BlockMessage,
  indexedText,
  MOST_CHARACTERS,
  packBlock,
  unpackBlock,
} from './block-text.ts';

/** Somebody who has not written for so long has died, or will find that another took over. */
const SILENT_MS = 10_000;
/** So much is written in one transaction. */
const MOST_CHARACTERS_AT_ONCE = 2 * 1024 * 1024;

export interface PartKeys {
  readonly place: number;
  readonly session: number;
}

interface PartRow {
  readonly key: number;
  readonly reader: string | null;
  readonly read_at: number;
}

export type Transact = <T>(work: () => T) => T;

/** Begins to write a part. Everything that was read of it before goes, unless it is read on. */
export function writePart(
  db: Database,
  transact: Transact,
  { place, session, name, order, goOn }: WritePart & PartKeys,
): PartWriter | undefined {
  const reader = `${process.pid} ${randomUUID()}`;
  const part = transact(() => claim(db, { session, name, order, goOn, reader }));
  if (part === undefined) return undefined;
  if (!goOn) dropBlocks(db, transact, { part, place });
  return createWriter(db, transact, { part, place, session, reader, begun: openEnd(db, part) });
}

/** Nobody else writes to the part while it is claimed. */
function claim(
  db: Database,
  { session, name, order, goOn, reader }: Omit<WritePart, 'id'> & { session: number; reader: string },
): number | undefined {
  const row = db
    .prepare<[number, string], PartRow>('SELECT key, reader, read_at FROM parts WHERE session = ? AND name = ?')
    .get(session, name);
  const reading = row?.reader ?? undefined;
  if (reading !== undefined && isAtWork(reading, row?.read_at ?? 0)) return undefined;
  const key = row?.key ?? addPart(db, { session, name, order });
  // Until it is ended nobody takes it for more than it is.
  db.prepare('UPDATE parts SET reader = ?, read_at = ?, whole = 0, size_bytes = -1, mark = NULL WHERE key = ?').run(
    reader,
    Date.now(),
    key,
  );
  if (!goOn) db.prepare('UPDATE parts SET messages = 0, read_bytes = 0 WHERE key = ?').run(key);
  return key;
}

interface Writing {
  readonly part: number;
  readonly place: number;
  readonly session: number;
  readonly reader: string;
  readonly begun: OpenEnd;
}

/** The last block of a part, as far as more goes into it. */
interface OpenEnd {
  readonly first: number;
  readonly messages: readonly BlockMessage[];
  readonly block: number | undefined;
}

function createWriter(db: Database, transact: Transact, { part, place, session, reader, begun }: Writing): PartWriter {
  const add = adding(db, { part, place, session });
  let { first } = begun;
  let open: BlockMessage[] = [...begun.messages];
  let characters = charactersIn(open);
  /** The block in which these stand already. It is made anew. */
  let stored = begun.block;
  let full: { readonly first: number; readonly messages: readonly BlockMessage[] }[] = [];
  let waiting = 0;

  const isOurs = () => db.prepare('SELECT 1 FROM parts WHERE key = ? AND reader = ?').get(part, reader) !== undefined;
  const closeBlock = () => {
    if (open.length === 0) return;
    full.push({ first, messages: open });
    waiting += characters;
    first += open.length;
    [open, characters] = [[], 0];
  };
  const flush = (then: () => void): boolean => {
    const bodies = full.map((block) => ({ ...block, body: packBlock(block.messages) }));
    const done = transact(() => {
      if (!isOurs()) return false;
      if (stored !== undefined && bodies.length > 0) {
        dropBlock(db, stored, place);
        stored = undefined;
      }
      for (const block of bodies) add(block);
      then();
      return true;
    });
    [full, waiting] = [[], 0];
    return done;
  };
  return {
    say(messages: readonly SaidMessage[], readBytes) {
      for (const { role, at, text } of messages) {
        const said = text.slice(0, MOST_CHARACTERS).toWellFormed();
        if (open.length > 0 && characters + said.length > BLOCK_CHARACTERS) closeBlock();
        open.push([role, at, said]);
        characters += said.length + 1;
      }
      if (waiting < MOST_CHARACTERS_AT_ONCE) return true;
      // What is open is written too, so that a crash can go on from here.
      closeBlock();
      return flush(() => {
        const noted = 'UPDATE parts SET messages = ?, read_bytes = ?, read_at = ? WHERE key = ?';
        db.prepare(noted).run(first, readBytes, Date.now(), part);
      });
    },
    end({ readBytes, mark, stamp, whole }) {
      closeBlock();
      return flush(() => {
        db.prepare(
          `UPDATE parts SET messages = ?, read_bytes = ?, mark = ?, size_bytes = ?, modified_at = ?, inode = ?, whole = ?, reader = NULL
            WHERE key = ?`,
        ).run(first, readBytes, mark ?? null, stamp.sizeBytes, stamp.modifiedAt, stamp.inode, Number(whole), part);
      });
    },
  };
}

function charactersIn(messages: readonly BlockMessage[]): number {
  return messages.reduce((sum, [, , text]) => sum + text.length + 1, 0);
}

/** A number that is some other program's by now keeps nobody waiting for long. */
function isAtWork(reader: string, readAt: number): boolean {
  return Math.abs(Date.now() - readAt) < SILENT_MS && findProcess(Number.parseInt(reader, 10)) !== undefined;
}

function addPart(db: Database, { session, name, order }: { session: number; name: string; order: number }): number {
  const add = db.prepare<[number, string, number], number>(
    'INSERT INTO parts (session, name, number) VALUES (?, ?, ?) RETURNING key',
  );
  return add.pluck().get(session, name, order) ?? 0;
}

/** A block with room is filled up, so that a conversation that grows by a message now and then has no more blocks than another. */
function openEnd(db: Database, part: number): OpenEnd {
  const messages = db.prepare<[number], number>('SELECT messages FROM parts WHERE key = ?').pluck().get(part) ?? 0;
  const last = db
    .prepare<[number], { key: number; first: number; body: Buffer }>(
      'SELECT key, first, body FROM blocks JOIN texts ON block = key WHERE part = ? ORDER BY first DESC LIMIT 1',
    )
    .get(part);
  const held = last === undefined ? [] : unpackBlock(last.body);
  if (last === undefined || charactersIn(held) >= BLOCK_CHARACTERS / 2)
    return { first: messages, messages: [], block: undefined };
  return { first: last.first, messages: held, block: last.key };
}

function adding(db: Database, { part, place, session }: Pick<Writing, 'part' | 'place' | 'session'>) {
  const block = db.prepare<[number, number, number, number], number>(
    'INSERT INTO blocks (part, session, first, at) VALUES (?, ?, ?, ?) RETURNING key',
  );
  const text = db.prepare('INSERT INTO texts VALUES (?, ?)');
  const index = db.prepare('INSERT INTO block_parts (rowid, text) VALUES (?, ?)');
  return (made: { readonly first: number; readonly messages: readonly BlockMessage[]; readonly body: Buffer }) => {
    const newest = made.messages.reduce((latest, [, at]) => Math.max(latest, at), 0);
    const key = block.pluck().get(part, session, made.first, newest) ?? 0;
    text.run(key, made.body);
    index.run(key, indexedText(made.messages, place));
  };
}

/** Takes a block out again. The index has no text, so it is told what to take out. */
function dropBlock(db: Database, block: number, place: number): void {
  const body = db.prepare<[number], Buffer>('SELECT body FROM texts WHERE block = ?').pluck().get(block);
  if (body !== undefined) {
    const out = db.prepare(`INSERT INTO block_parts (block_parts, rowid, text) VALUES ('delete', ?, ?)`);
    out.run(block, indexedText(unpackBlock(body), place));
  }
  db.prepare('DELETE FROM texts WHERE block = ?').run(block);
  db.prepare('DELETE FROM blocks WHERE key = ?').run(block);
}

/** So many are taken out in one transaction: half a second of work for whoever waits. */
const DROPPED_AT_ONCE = 32;

/** Everything that was read of a part goes. */
export function dropBlocks(db: Database, transact: Transact, { part, place }: { part: number; place: number }): void {
  const next = db.prepare<[number, number], number>('SELECT key FROM blocks WHERE part = ? LIMIT ?').pluck();
  let dropped: number;
  do {
    dropped = transact(() => {
      const blocks = next.all(part, DROPPED_AT_ONCE);
      for (const block of blocks) dropBlock(db, block, place);
      return blocks.length;
    });
  } while (dropped === DROPPED_AT_ONCE);
}
