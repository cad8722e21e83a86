import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import type { Plan } from '../../src/core/retention/plan.ts';
import type { RunItem } from '../../src/core/retention/run.ts';
import type { Clock } from '../../src/core/time.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { collect } from './collect.ts';
import type { EngineHome } from './engine-home.ts';

/** Everything a home held before anything was removed from it. */
export interface Baseline {
  readonly sessions: ReadonlyMap<string, SeenSession>;
  readonly files: Tree;
  readonly outside: Tree;
}

interface SeenSession {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly messages: readonly unknown[];
  readonly usage: readonly unknown[];
  readonly found: boolean;
}

type Tree = Readonly<Record<string, string>>;

/** Reads the home in `DIR/home` and what lies beside it. */
export async function takeBaseline(directory: string, at: EngineHome): Promise<Baseline> {
  return {
    sessions: await seenSessions(at),
    files: treeOf(join(directory, 'home', 'sessions')),
    outside: treeOf(join(directory, 'outside')),
  };
}

export interface Expected {
  readonly baseline: Baseline;
  /** The plans that were allowed to be carried out, whole or in part. */
  readonly plans: readonly Plan[];
  readonly clock: Clock;
  /** Sessions that must stay whatever a plan says, because they were taken into use or pinned since. */
  readonly held?: readonly string[];
  /** Nothing but deaths came in between, so every intent about a session must be carried out in the end. */
  readonly onlyDeaths?: boolean;
}

/** What is wrong with a home in which no step is under way. */
export async function checkState(at: EngineHome, expected: Expected): Promise<string[]> {
  const { baseline, plans, held = [], onlyDeaths = false } = expected;
  const path = at.parts.layout.root;
  const items = await allItems(at);
  const trees = { home: treeOf(join(path, 'sessions')), trash: treeOf(join(path, 'trash')) };
  const wrong: string[] = [];
  const unfinished = await at.engine.journal.unfinished();
  if (unfinished.length > 0) wrong.push(`unfinished runs: ${unfinished.join()}`);
  wrong.push(...outsidePlan(items, plans));
  const skipped = items.filter(({ item, state }) => onlyDeaths && item.kind === 'session' && state === 'skipped');
  wrong.push(...skipped.map(({ item, detail }) => `${item.id} was skipped: ${detail}`));
  for (const id of held) if (goneItems(items, id).length > 0) wrong.push(`${id} was held and is gone`);
  const sessions = await seenSessions(at);
  const archived = await archivedSessions(at);
  for (const [id, before] of baseline.sessions) {
    const taken = goneItems(items, id);
    wrong.push(...checkSession({ id, before, now: sessions.get(id), archived: archived.get(id), taken }));
    wrong.push(...checkFiles({ id, files: filesOf(path, { baseline, id }), taken, trees }));
  }
  for (const id of sessions.keys()) if (!baseline.sessions.has(id)) wrong.push(`${id} came from nowhere`);
  for (const id of straysOf(baseline, path)) {
    const files = filesBelow(baseline.files, id.replace('sessions/', ''));
    wrong.push(...checkFiles({ id, files, taken: goneItems(items, id), trees }));
  }
  wrong.push(...checkRows(path, items), ...leftInTrash(items, trees.trash), ...unnoted(path, trees.trash));
  if (!isDeepStrictEqual(treeOf(join(dirname(path), 'outside')), baseline.outside))
    wrong.push('something outside changed');
  return wrong;
}

/** What the home's own check finds; strays are there until a run takes them. */
export async function checkProblems({ home }: EngineHome): Promise<string[]> {
  const problems = (await collect(home.check())).flatMap((check) => check.problems);
  return problems.filter(({ kind }) => kind !== 'orphan' && kind !== 'debris').map(({ message }) => message);
}

type PlacedItem = RunItem & { readonly runId: string };

const GONE_STATES = new Set(['trashed', 'archived', 'purged', 'purging']);
const isGone = ({ state }: RunItem) => GONE_STATES.has(state);

/** The items that took something of this id and did not give it back, oldest first. */
function goneItems(items: readonly PlacedItem[], id: string): readonly PlacedItem[] {
  return items.filter((each) => each.item.id === id && isGone(each));
}

async function allItems({ engine }: EngineHome): Promise<PlacedItem[]> {
  const runs = (await collect(engine.journal.runs())).toReversed();
  const items = await Promise.all(
    runs.map(async ({ id }) => (await collect(engine.journal.items(id))).map((item) => ({ ...item, runId: id }))),
  );
  return items.flat();
}

/** Applied is a subset of planned: same item, same action. */
function outsidePlan(items: readonly PlacedItem[], plans: readonly Plan[]): string[] {
  const name = ({ item, action }: Pick<RunItem, 'item'> & { action: string }) => `${item.kind} ${item.id} ${action}`;
  const planned = new Set(
    plans.flatMap(({ decisions }) => decisions.filter(({ action }) => action !== 'keep').map(name)),
  );
  return items.filter((item) => !planned.has(name(item))).map((item) => `not planned: ${name(item)}`);
}

interface SessionCheck {
  readonly id: string;
  readonly before: SeenSession;
  readonly now: SeenSession | undefined;
  readonly archived: Pick<SeenSession, 'facts' | 'usage'> | undefined;
  readonly taken: readonly PlacedItem[];
}

function checkSession({ id, before, now, archived, taken }: SessionCheck): string[] {
  const removed = taken.some(({ action }) => action === 'remove');
  const inArchive = !removed && taken.some(({ action }) => action === 'archive');
  const { facts, usage } = before;
  if (!isDeepStrictEqual(archived, inArchive ? { facts, usage } : undefined))
    return [`${id} is not as it was in the archive`];
  if (removed || inArchive) return now === undefined ? [] : [`${id} is removed and still there`];
  if (now === undefined) return [`${id} is gone, and no run says so`];
  const left = {
    ...facts,
    ...(taken.length > 0 && { dumpBytes: 0 }),
    ...(taken.some(({ action }) => action === 'drop-files') && { transcriptBytes: 0 }),
  };
  return isDeepStrictEqual(now, { ...before, facts: left }) ? [] : [`${id} is not as it was`];
}

interface FilesCheck {
  readonly id: string;
  readonly files: Tree;
  readonly taken: readonly PlacedItem[];
  readonly trees: { readonly home: Tree; readonly trash: Tree };
}

/** Each file is where the first item that took it says, unchanged: at home, in the trash, or nowhere. */
function checkFiles({ id, files, taken, trees }: FilesCheck): string[] {
  const wrong: string[] = [];
  for (const [path, hash] of Object.entries(files)) {
    const item = taken.find((each) => placeInTrash(path, each) !== undefined);
    const atHome = item === undefined ? hash : undefined;
    if (trees.home[path] !== atHome)
      wrong.push(`${id}: ${path} ${atHome === undefined ? 'stayed' : 'is gone or changed'}`);
    if (item === undefined) continue;
    const place = placeInTrash(path, item) ?? '';
    const there = item.state === 'trashed' ? hash : undefined;
    if (trees.trash[place] !== there) wrong.push(`${id}: ${place} in the trash is wrong`);
  }
  return wrong;
}

/** Where a file of an item is while the item is gone; undefined when the item leaves it alone. */
function placeInTrash(path: string, { runId, number, item, action }: PlacedItem): string | undefined {
  const inside = path.split('/').slice(2);
  if (item.kind === 'archive') return undefined;
  if (item.kind === 'debris') return `${runId}/${number}/${basename(path)}`;
  if (item.kind !== 'session') return `${runId}/${number}/${path.split('/').slice(1).join('/')}`;
  if (action === 'drop-dumps' && inside[0] !== 'dumps') return undefined;
  return `${runId}/${number}/${inside.join('/')}`;
}

/** Whoever has only the files can read what lies in the trash of a run. */
function unnoted(path: string, trash: Tree): string[] {
  return Object.keys(trash).flatMap((file) => {
    const [run = '', number = ''] = file.split('/');
    if (number === 'manifest.jsonl') return [];
    const manifest = join(path, 'trash', run, 'manifest.jsonl');
    const notes = existsSync(manifest) ? readFileSync(manifest, 'utf8') : '';
    return notes.includes(`{"number":${number},`) ? [] : [`${file} is not in the manifest`];
  });
}

/** Nothing lies in the trash but the files of trashed items and the notes about them. */
function leftInTrash(items: readonly PlacedItem[], trash: Tree): string[] {
  const places = new Set(
    items.filter(({ state }) => state === 'trashed').map((item) => `${item.runId}/${item.number}`),
  );
  return Object.keys(trash)
    .filter((path) => basename(path) !== 'manifest.jsonl' && !places.has(path.split('/', 2).join('/')))
    .map((path) => `${path} lies in the trash for no item`);
}

/** Hidden rows and ledger entries are exactly those of the sessions that are gone. */
function checkRows(path: string, items: readonly PlacedItem[]): string[] {
  const db = new BetterSqlite3(nativeLayout(path).database, { readonly: true });
  const rows = (sql: string) => JSON.stringify((db.prepare(sql).pluck().all() as string[]).toSorted());
  const hidden = rows(`SELECT run_id || '/' || run_number FROM sessions WHERE state NOT IN ('live', 'archived')`);
  const archived = rows(`SELECT run_id || '/' || run_number FROM archives`);
  const unarchived = rows('SELECT id FROM messages WHERE session_key IN (SELECT session_key FROM archives)');
  const ledger = rows(`SELECT run_id || ' ' || id FROM ledger`);
  const lost = rows('SELECT id FROM messages WHERE session_key NOT IN (SELECT key FROM sessions)');
  db.close();
  const whole = items.filter(({ item }) => item.kind === 'session' || item.kind === 'archive');
  const gone = whole.filter((item) => item.action === 'remove' && isGone(item));
  const kept = gone.filter(({ state }) => state === 'trashed').map((item) => `${item.runId}/${item.number}`);
  const wrong: string[] = [];
  const inArchive = items.filter(({ state }) => state === 'archived').map((item) => `${item.runId}/${item.number}`);
  if (archived !== JSON.stringify(inArchive.toSorted()))
    wrong.push(`the archive has ${archived}, the journal says ${inArchive.join()}`);
  if (unarchived !== '[]') wrong.push(`messages of archived sessions: ${unarchived}`);
  if (hidden !== JSON.stringify(kept.toSorted()))
    wrong.push(`hidden rows are ${hidden}, the journal says ${kept.join()}`);
  const traces = JSON.stringify(gone.map((item) => `${item.runId} ${item.item.id}`).toSorted());
  if (ledger !== traces) wrong.push(`the ledger has ${ledger}, the journal says ${traces}`);
  if (lost !== '[]') wrong.push(`messages without a session: ${lost}`);
  return wrong;
}

async function seenSessions({ home }: EngineHome): Promise<Map<string, SeenSession>> {
  const found = new Set((await home.sessions.search({ text: 'says', limit: 100 })).map(({ session }) => session.id));
  const seen = new Map<string, SeenSession>();
  for await (const facts of home.sessions.list()) {
    const session = await home.sessions.open(facts.id);
    const messages = await collect(session.messages());
    const usage = await session.usageByModel();
    seen.set(facts.id, { facts: { ...facts }, messages, usage, found: found.has(facts.id) });
  }
  return seen;
}

async function archivedSessions({ home }: EngineHome): Promise<Map<string, Pick<SeenSession, 'facts' | 'usage'>>> {
  const seen = new Map<string, Pick<SeenSession, 'facts' | 'usage'>>();
  for await (const { archivedAt: _, ...facts } of home.sessions.list({ archived: true })) {
    seen.set(facts.id, { facts, usage: await (await home.sessions.open(facts.id)).usageByModel() });
  }
  return seen;
}

function filesOf(path: string, { baseline, id }: { baseline: Baseline; id: string }): Tree {
  const layout = nativeLayout(path);
  return filesBelow(baseline.files, relative(layout.sessions, layout.sessionDir(id)));
}

function filesBelow(files: Tree, directory: string): Tree {
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => path === directory || path.startsWith(`${directory}/`)),
  );
}

/** Orphan directories and debris, as items name them. */
function straysOf(baseline: Baseline, path: string): string[] {
  const layout = nativeLayout(path);
  const known = new Set([...baseline.sessions.keys()].map((id) => relative(layout.sessions, layout.sessionDir(id))));
  const strays = Object.keys(baseline.files).filter((file) => !known.has(file.split('/', 2).join('/')));
  return strays.map((file) =>
    basename(file).startsWith('.tmp-') ? `sessions/${file}` : `sessions/${file.split('/', 2).join('/')}`,
  );
}

/** Every file below a folder with its mode and a hash of its bytes. */
export function treeOf(root: string): Tree {
  if (!existsSync(root)) return {};
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const entries = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = (lstatSync(path).mode & 0o777).toString(8);
    const hash = entry.isFile() ? createHash('sha1').update(readFileSync(path)).digest('hex') : 'not a file';
    return [relative(root, path), `${mode} ${hash}`] as const;
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
