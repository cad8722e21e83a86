import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../capture-io.ts';
import { dieAtChange } from './hermes-faults.ts';

/** A home in which commands are cut short, and how it is looked at without a line of what is tested. */
export interface CrashedKind {
  readonly now: number;
  /** The database with the journal of runs. */
  readonly journal: (home: string) => string;
  /** The ids of the sessions that are there for everybody. */
  readonly live: (home: string) => readonly string[];
  /** Every row and file that an undo has to bring back exactly. */
  readonly dump: (home: string) => unknown;
  /** What SQLite finds wrong. */
  readonly damage: (home: string) => readonly string[];
  /** The files that nobody knows, where whoever left them is dead. */
  readonly unknown?: (home: string) => readonly string[];
}

/** One command that dies, what came before it, and what it is to have done in the end, once it has begun. */
export interface CutShort {
  readonly name: string;
  readonly before?: readonly (readonly string[])[];
  readonly line: readonly string[];
  /** The states of items by which the journal shows that it has begun with this. */
  readonly begun: readonly string[];
  readonly leads: 'into the trash' | 'into the archive' | 'back' | 'away';
}

/** The sessions that every command here is about. Another, `early`, was removed before, and stays in the trash unless it is asked for. */
export const SUBJECTS = ['long', 'trunk', 'twig'];
export const EARLY = 'early';
/** Too young to go, and enough of them that no floor keeps another. */
export const KEPT = ['fresh', 'fresher'];
const DELETE = ['sessions', 'delete', ...SUBJECTS, '--yes'];
const ALL_OLD = ['--older-than', '30d', '--set', 'sessions.keep_last=1', '--yes'];
const ARCHIVE = ['sessions', 'archive', ...ALL_OLD];

export const CUT_SHORT: readonly CutShort[] = [
  { name: 'a delete', line: DELETE, begun: ['intended', 'trashed'], leads: 'into the trash' },
  {
    name: 'a prune',
    line: ['sessions', 'prune', ...ALL_OLD],
    begun: ['intended', 'trashed'],
    leads: 'into the trash',
  },
  { name: 'an archive', line: ARCHIVE, begun: ['intended', 'archived'], leads: 'into the archive' },
  { name: 'an undo', before: [DELETE], line: ['undo', '--yes'], begun: ['undoing', 'restored'], leads: 'back' },
  {
    name: 'an undo of an archive',
    before: [ARCHIVE],
    line: ['undo', '--yes'],
    begun: ['undoing', 'restored'],
    leads: 'back',
  },
  {
    name: 'a restore',
    before: [ARCHIVE],
    line: ['sessions', 'restore', ...SUBJECTS],
    begun: ['undoing', 'restored'],
    leads: 'back',
  },
  {
    name: 'an emptying of the trash',
    before: [DELETE],
    line: ['trash', 'empty', '--all', '--yes'],
    begun: ['purging', 'purged'],
    leads: 'away',
  },
];

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function say({ now }: CrashedKind, home: string, line: readonly string[]): Promise<Said> {
  const { io, out, err } = captureIo({ now });
  const code = await main([...line, '--home', home], io);
  return { code, out: out(), err: err() };
}

export async function mustSay(kind: CrashedKind, home: string, line: readonly string[]): Promise<Said> {
  const said = await say(kind, home, line);
  if (said.code !== 0) throw new Error(`${line.join(' ')} exits with ${said.code}: ${said.err}`);
  return said;
}

/** A fresh copy of a closed home, in the place of the last one. */
export function copyHome(from: string, to: string): string {
  rmSync(to, { recursive: true, force: true });
  // To the nanosecond, which Node's own copy is not: files that came back are known again by their times.
  execFileSync('cp', ['-a', from, to]);
  return to;
}

/** Carries the command out and dies before its n-th change. False where it had fewer. */
export function cutShort(
  kind: CrashedKind,
  home: string,
  { line, number }: { line: readonly string[]; number: number },
) {
  return dieAtChange(number, () => say(kind, home, line));
}

/** Whether the journal shows, read by SQLite alone, that the command has begun with its work. */
export function hasBegun(kind: CrashedKind, home: string, { begun }: CutShort): boolean {
  return itemsIn(kind, home, begun).some((id) => SUBJECTS.includes(id));
}

/** What the journal has in these states. */
export function itemsIn(kind: CrashedKind, home: string, states: readonly string[]): string[] {
  return inJournal(
    kind.journal(home),
    `SELECT item_id FROM run_items WHERE kind IN ('session', 'archive')
      AND state IN (SELECT value FROM json_each(?)) ORDER BY item_id`,
    states,
  );
}

/** The newest run that has anything to do with one of these. */
export function runOf(kind: CrashedKind, home: string, ids: readonly string[]): string | undefined {
  const sql = 'SELECT run_id FROM run_items WHERE item_id IN (SELECT value FROM json_each(?)) ORDER BY run_id DESC';
  return inJournal(kind.journal(home), sql, ids)[0];
}

function inJournal(journal: string, sql: string, values: readonly string[]): string[] {
  const db = new BetterSqlite3(journal, { readonly: true });
  try {
    return db.prepare<[string], string>(sql).pluck().all(JSON.stringify(values));
  } catch (error) {
    // A home that was never written to has no records.
    if (String(error).includes('no such table') || String(error).includes('unable to open')) return [];
    throw error;
  } finally {
    db.close();
  }
}

/** The document that a command prints for programs. */
export async function documentOf<T>(kind: CrashedKind, home: string, line: readonly string[]): Promise<T> {
  return JSON.parse((await mustSay(kind, home, [...line, '--json'])).out) as T;
}
