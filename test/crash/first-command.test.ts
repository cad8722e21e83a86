import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { NOW } from '../capture-io.ts';
import { TORTURE } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';
import { treeOf } from '../support/engine-checker.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import {
  type CrashedKind,
  CUT_SHORT,
  type CutShort,
  copyHome,
  cutShort,
  documentOf,
  EARLY,
  hasBegun,
  itemsIn,
  mustSay,
  SUBJECTS,
  say,
} from '../support/first-commands.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';

/** How many words a person tries after a command died. */
const TRIED = TORTURE ? 9 : 2;
/** Too young to go, and enough of them that no floor keeps another. */
const KEPT = ['fresh', 'fresher'];

const NATIVE: CrashedKind = {
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

const HERMES: CrashedKind = {
  now: HERMES_NOW,
  journal: (home) => join(home, '.coppice', 'state.db'),
  live: (home) => query(join(home, 'state.db'), 'SELECT id FROM sessions ORDER BY id'),
  dump: (home) => dumpHermes(home, ['hello', 'message']),
  damage: hermesProblems,
};

// A command dies before changes that are so far apart: in a home of Coppice it makes about 15, in one of Hermes many more.
describe.each([
  { kind: NATIVE, name: 'a home of Coppice', build: buildNative, stride: 7 },
  { kind: HERMES, name: 'a home of Hermes', build: buildHermes, stride: 23 },
])('whatever is typed first after a command died in $name', ({ kind, build, stride }) => {
  it.each(CUT_SHORT)(
    'is answered as if it had not died: $name',
    async (act) => {
      const directory = tempDirInMemory();
      const start = await build(join(directory, 'start'));
      await mustSay({ ...kind, now: kind.now - HOUR_MS }, start, ['sessions', 'delete', EARLY, '--yes']);
      const whole = kind.dump(start);
      for (const line of act.before ?? []) await mustSay({ ...kind, now: kind.now - MINUTE_MS }, start, line);
      let deaths = 0;
      for (let number = 1, died = true; died; number += TORTURE ? 1 : stride) {
        const dead = copyHome(start, join(directory, 'dead'));
        died = await cutShort(kind, dead, { line: act.line, number });
        deaths += died ? 1 : 0;
        const begun = hasBegun(kind, dead, act);
        for (const first of firstsAt(deaths)) {
          const home = copyHome(dead, join(directory, 'tried'));
          const scene = { kind, home, act, begun, whole };
          await wrap(`died before change ${number}, then: ${first.name}`, () => first.check(scene));
        }
      }
      expect(deaths).toBeGreaterThan(1);
    },
    3_600_000,
  );
});

interface Scene {
  readonly kind: CrashedKind;
  readonly home: string;
  readonly act: CutShort;
  readonly begun: boolean;
  readonly whole: unknown;
}

interface First {
  readonly name: string;
  readonly check: (scene: Scene) => Promise<void>;
}

const FIRSTS: readonly First[] = [
  { name: 'undo', check: checkUndo },
  { name: 'the same again', check: checkAgain },
  { name: 'list', check: (scene) => looking(scene, checkList) },
  { name: 'list --archived', check: (scene) => looking(scene, checkArchived) },
  { name: 'runs', check: (scene) => looking(scene, checkRuns) },
  { name: 'status', check: (scene) => looking(scene, checkStatus) },
  { name: 'doctor', check: (scene) => looking(scene, checkDoctor) },
  { name: 'trash list', check: (scene) => looking(scene, checkTrash) },
  { name: 'restore', check: checkRestore },
];

/** All of them in a long run; a few in turn otherwise. */
function firstsAt(turn: number): readonly First[] {
  const from = (turn * TRIED) % FIRSTS.length;
  return [...FIRSTS, ...FIRSTS].slice(from, from + TRIED).slice(0, FIRSTS.length);
}

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

const UNFINISHED = ['intended', 'undoing', 'purging'];

/** Whether the command had done all of its work when it died. */
function isComplete({ kind, home, begun }: Scene): boolean {
  return begun && itemsIn(kind, home, UNFINISHED).length === 0;
}

function expectSettled({ kind, home }: Scene): void {
  expect(itemsIn(kind, home, UNFINISHED)).toEqual([]);
  expect(kind.damage(home)).toEqual([]);
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
async function wrap(where: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${where}: ${error.message}`;
    throw error;
  }
}

async function buildNative(home: string): Promise<string> {
  const clock = manualClock(NOW - 100 * DAY_MS);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'disk:\n  ballast_mb: never\n', { mode: 0o600 });
  await using made = await openHome({ path: home, clock });
  for (const id of [...SUBJECTS, EARLY, ...KEPT]) {
    if (KEPT.includes(id)) clock.set(NOW - 5 * HOUR_MS);
    const session = await made.sessions.create({ id, source: 'cli', title: `about ${id}` });
    await session.appendAll(Array.from({ length: 4 }, (_, at) => ({ role: 'user', content: `${id} message ${at}` })));
    await session.dump({ url: 'https://example.com', body: { id } });
    await session.end('done');
  }
  return home;
}

const MANY = Array.from({ length: 30 }, (_, at) => `message ${at}`);

async function buildHermes(home: string): Promise<string> {
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

function query(database: string, sql: string): string[] {
  const db = new BetterSqlite3(database, { readonly: true });
  try {
    return db.prepare<[], string>(sql).pluck().all();
  } finally {
    db.close();
  }
}
