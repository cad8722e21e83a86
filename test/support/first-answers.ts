import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { query } from './crashed-homes.ts';
import {
  type CrashedKind,
  type CutShort,
  documentOf,
  EARLY,
  itemsIn,
  KEPT,
  mustSay,
  runOf,
  SUBJECTS,
  say,
} from './first-commands.ts';

/** A home after a death, and what is known about it from outside. */
export interface Scene {
  readonly kind: CrashedKind;
  readonly home: string;
  readonly act: CutShort;
  readonly begun: boolean;
  readonly whole: unknown;
}

/** What a person types first, and what is then to be true. */
export interface First {
  readonly name: string;
  readonly check: (scene: Scene) => Promise<void>;
}

export const FIRSTS: readonly First[] = [
  { name: 'undo', check: checkUndo },
  { name: 'the same again', check: checkAgain },
  { name: 'list', check: (scene) => looking(scene, checkList) },
  { name: 'list --archived', check: (scene) => looking(scene, checkArchived) },
  { name: 'runs', check: (scene) => looking(scene, checkRuns) },
  { name: 'runs show', check: (scene) => looking(scene, checkShown) },
  { name: 'status', check: (scene) => looking(scene, checkStatus) },
  { name: 'doctor', check: (scene) => looking(scene, checkDoctor) },
  { name: 'trash list', check: (scene) => looking(scene, checkTrash) },
  { name: 'restore', check: checkRestore },
  { name: 'trash restore', check: checkTrashRestore },
];

async function looking(scene: Scene, check: (scene: Scene) => Promise<void>): Promise<void> {
  await check(scene);
  const { kind, home, act, begun } = scene;
  expect(kind.live(home)).toEqual(liveAfter(act, begun));
  expectSettled(scene);
  if (!begun || act.leads === 'back' || act.leads === 'away') return;
  await mustSay(kind, home, ['undo', '--yes']);
  expectWhole(scene);
}

async function checkList({ kind, home, act, begun }: Scene): Promise<void> {
  const { sessions } = await documentOf<Listed>(kind, home, ['sessions', 'list']);
  expect(sessions.map(({ id }) => id).toSorted()).toEqual(liveAfter(act, begun));
}

async function checkArchived({ kind, home, act, begun }: Scene): Promise<void> {
  const { sessions } = await documentOf<Listed>(kind, home, ['sessions', 'list', '--archived']);
  const ids = sessions.map(({ id }) => id).toSorted();
  expect(ids).toEqual(isArchivedAfter(act, begun) ? SUBJECTS : []);
}

async function checkRuns({ kind, home, act, begun }: Scene): Promise<void> {
  const { out } = await mustSay(kind, home, ['runs', 'list']);
  const newest = out.split('\n')[1] ?? '';
  if (begun) expect(newest).toMatch(UNDO_WORDS[act.leads]);
}

const UNDO_WORDS = {
  'into the trash': /\d{4}-\d\d-\d\d\s*$/,
  'into the archive': /any time\s*$/,
  back: /undone\s*$/,
  away: /no\s*$/,
} as const;

/** Of the run that died it says where everything is now, and how it comes back. */
async function checkShown({ kind, home, act, begun }: Scene): Promise<void> {
  const id = runOf(kind, home, SUBJECTS);
  if (id === undefined) return;
  const { out } = await mustSay(kind, home, ['runs', 'show', id]);
  expect(out).not.toMatch(/not finished|cut short/);
  const canComeBack = begun && (act.leads === 'into the trash' || act.leads === 'into the archive');
  if (canComeBack) expect(out).toContain(`coppice undo ${id}`);
}

async function checkStatus({ kind, home, act, begun }: Scene): Promise<void> {
  const { classes } = await documentOf<{ classes: { name: string; items: number }[] }>(kind, home, ['status']);
  const counts = Object.fromEntries(classes.map(({ name, items }) => [name, items]));
  expect(counts['sessions']).toBe(liveAfter(act, begun).length);
  expect(counts['trash']).toBe(new Set(itemsIn(kind, home, ['trashed'])).has('long') ? 2 : earlyRuns(kind, home));
}

const earlyRuns = (kind: CrashedKind, home: string) => (itemsIn(kind, home, ['trashed']).includes(EARLY) ? 1 : 0);

async function checkDoctor({ kind, home }: Scene): Promise<void> {
  const { out } = await mustSay(kind, home, ['doctor']);
  expect(out).not.toMatch(/--repair|was cut short|bad /);
}

async function checkTrash({ kind, home, act, begun }: Scene): Promise<void> {
  const { items } = await documentOf<{ items: { id: string }[] }>(kind, home, ['trash', 'list']);
  const ids = items.map(({ id }) => id).filter((id) => id !== EARLY);
  const inTrash = act.leads === 'into the trash' ? begun : act.before?.[0]?.[1] === 'delete' && !begun;
  expect(ids.toSorted()).toEqual(inTrash ? SUBJECTS : []);
}

/** Undo means the last thing that happened: the command that died, if it had begun; never one before it besides. */
async function checkUndo(scene: Scene): Promise<void> {
  const { kind, home, act, begun } = scene;
  if (act.leads === 'away') {
    await say(kind, home, ['undo', '--yes']);
    if (begun) expect(kind.live(home)).not.toEqual(expect.arrayContaining(SUBJECTS));
    return expectSettled(scene);
  }
  const complete = isComplete(scene);
  const said = await mustSay(kind, home, ['undo', '--yes']);
  expectSettled(scene);
  // An undo that was complete before it died left nothing to go on with: undo then means what happened before it.
  if (act.leads === 'back' ? !complete : begun) {
    expect(said.out).toMatch(act.leads === 'back' ? /back|Restored/ : /Gave back|Restored/);
    expectWhole(scene);
  } else expect(kind.live(home)).toContain(EARLY);
}

async function checkAgain(scene: Scene): Promise<void> {
  const { kind, home, act } = scene;
  const complete = isComplete(scene);
  const { code, err } = await say(kind, home, act.line);
  // What was complete before it died is told as if nobody had died: there is nothing of it left to do.
  if (!complete) expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  expectSettled(scene);
  if (complete && act.leads === 'back') return;
  expect(kind.live(home)).toEqual(liveAfter(act, true));
  if (act.leads === 'back') return expectWhole(scene);
  if (act.leads === 'away') return expectNothingLeft(scene);
  await mustSay(kind, home, ['undo', '--yes']);
  expectWhole(scene);
}

async function checkRestore(scene: Scene): Promise<void> {
  const { kind, home, act, begun } = scene;
  const backByThat = act.leads === 'back' && itemsIn(kind, home, ['undoing']).length > 0;
  const { code } = await say(kind, home, ['sessions', 'restore', ...SUBJECTS]);
  expect(code === 0).toBe(isArchivedAfter(act, begun) || backByThat);
  expectSettled(scene);
  if (code === 0) expectWhole(scene);
}

async function checkTrashRestore(scene: Scene): Promise<void> {
  const { kind, home, act, begun } = scene;
  const runId = runOf(kind, home, SUBJECTS);
  const hadAny = itemsIn(kind, home, ['intended', 'trashed', 'undoing']).some((id) => SUBJECTS.includes(id));
  const { code } = await say(kind, home, ['trash', 'restore', runId ?? 'none']);
  expectSettled(scene);
  if (!hadAny || act.leads === 'into the archive' || (act.leads === 'away' && begun)) return expect(code).not.toBe(0);
  // An archive that was being undone is no trash; everything else that was there comes back.
  if (code === 0) expectWhole(scene);
  else expect(act.before?.[0]?.[1]).toBe('archive');
}

const UNFINISHED = ['intended', 'undoing', 'purging'];

/** Whether the command had done all of its work when it died. */
function isComplete({ kind, home, begun }: Scene): boolean {
  return begun && itemsIn(kind, home, UNFINISHED).length === 0;
}

function expectSettled({ kind, home }: Scene): void {
  expect(itemsIn(kind, home, UNFINISHED)).toEqual([]);
  expect(kind.damage(home)).toEqual([]);
  expect(kind.unknown?.(home) ?? []).toEqual([]);
}

function expectWhole({ kind, home, whole }: Scene): void {
  expect(kind.dump(home)).toEqual(whole);
}

/** No row and no file of what was in the trash. */
function expectNothingLeft({ kind, home }: Scene): void {
  expect(itemsIn(kind, home, ['trashed'])).toEqual([]);
  const trash = join(kind.journal(home), '..', 'trash');
  expect(existsSync(trash) ? readdirSync(trash, { recursive: true }) : []).toEqual([]);
  const rows = query(kind.journal(home), `SELECT id FROM sessions WHERE state NOT IN ('live', 'archived')`);
  expect(rows).toEqual([]);
}

function liveAfter({ leads }: CutShort, begun: boolean): readonly string[] {
  const subjectsLive = leads === 'back' ? begun : leads !== 'away' && !begun;
  return [...KEPT, ...(subjectsLive ? SUBJECTS : [])];
}

function isArchivedAfter({ leads, before }: CutShort, begun: boolean): boolean {
  return leads === 'into the archive' ? begun : leads === 'back' && before?.[0]?.[1] === 'archive' && !begun;
}

interface Listed {
  readonly sessions: readonly { readonly id: string }[];
}

/** Says at which point it was. */
export async function wrap(where: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${where}: ${error.message}`;
    throw error;
  }
}
