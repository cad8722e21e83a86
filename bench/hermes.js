// Hermes homes: scanning and pruning against the bare work they rest on.
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { runnerImport } from 'vite';
import { createHermesSessionReader } from '../dist/homes/hermes/sessions/hermes-session-reader.js';
import { createHermesDriver } from '../dist/homes/hermes/taking/hermes-driver.js';
import { nativeLayout } from '../dist/homes/native/native-layout.js';
import { openHome } from '../dist/index.js';
import { locks, measured, worst } from './locks.js';
import { compare, format, median, report, timed } from './measure.js';
import { peakMegabytes } from './processes.js';
import { walk } from './reading.js';
import { seeded, sentence } from './words.js';

const SESSIONS = 5000;
const LARGE = Number(process.env.COPPICE_BENCH_HERMES_SESSIONS ?? 50_000);
const DAY_MS = 86_400_000;
const BEFORE_MS = 50 * DAY_MS;
/** As the driver does: so long in one transaction, and so many sessions until the log is moved. */
const STEP_MS = 20;
const SESSIONS_A_CHECKPOINT = 100;

export async function benchHermes(directory) {
  const template = join(directory, 'hermes');
  await buildOldHome(template, { sessions: SESSIONS, talk: 10, output: 0 });
  await benchScan(template, { rounds: 9, name: '5 000' });
  await benchPrune(template, directory);
  rmSync(template, { recursive: true });
  await benchConversation(directory);
  await benchLongMessage(directory);
  console.log(`Building a Hermes home of ${LARGE} sessions …`);
  const large = join(directory, 'hermes-large');
  await buildOldHome(large, { sessions: LARGE, talk: 4, output: 8000 });
  await benchScan(large, { rounds: 3, name: `${LARGE}` });
  await benchList(large);
  for (const args of [['status'], ['sessions', 'list', '--json']]) {
    const peak = peakMegabytes([...args, '--home', large], directory);
    report(`peak memory: coppice ${args.join(' ')}, Hermes home of ${LARGE}`, peak, { limit: 200, unit: ' MB' });
  }
  rmSync(large, { recursive: true });
}

/** Old sessions with two files each, by the project's own builder of Hermes homes; a twentieth was never ended. */
export async function buildOldHome(path, { sessions, talk, output, journal = 'wal' }) {
  const random = seeded(3);
  const long = sentence(random, 20_000);
  await buildHome(path, {
    journal,
    // Giving space back is work of its own, which Hermes' rules allow once a month.
    meta: { last_vacuum: String(Date.now() / 1000) },
    sessions: Array.from({ length: sessions }, (_, index) => {
      const at = Math.floor(random() * (long.length - output));
      const spoken = Array.from({ length: talk }, () => sentence(random));
      return {
        id: idOf(index),
        startedAt: Date.now() - (2 + (index % 200)) * DAY_MS,
        end: index % 20 === 0 ? 'open' : 'cli_close',
        files: ['snapshot', 'dump'],
        messages: output === 0 ? spoken : [...spoken, { role: 'tool', content: long.slice(at, at + output) }],
      };
    }),
  });
}

async function buildHome(path, spec) {
  const builder = fileURLToPath(new URL('../test/support/hermes-home.ts', import.meta.url));
  const { module } = await runnerImport(builder, { configFile: false, logLevel: 'error' });
  module.buildHermesHome(path, spec);
}

function idOf(index) {
  return `20260701_${String(index).padStart(6, '0')}_abcdef`;
}

async function benchScan(path, { rounds, name }) {
  const driver = driverOf(path);
  const { ratio, oursMs, bareMs } = await compare(
    rounds,
    () => driver.scan(),
    () => {
      walk(path);
      readTables(path);
    },
  );
  const note = `${format(oursMs)} ms, bare ${format(bareMs)} ms`;
  report(`scan of a Hermes home of ${name} / one walk and one pass`, ratio, { limit: 1.5, unit: '×', note });
}

/** All facts about all sessions. Nothing is asked of Coppice's own records. */
async function benchList(path) {
  const clockNow = { now: () => Date.now() };
  const list = async () => {
    const store = createHermesSessionReader({ home: path, clock: clockNow });
    for await (const _ of store.list());
  };
  const { ratio, oursMs, bareMs } = await compare(5, list, () => {
    walk(path);
    readTables(path);
  });
  const note = `${format(oursMs)} ms, bare ${format(bareMs)} ms`;
  report(`list of ${LARGE} Hermes sessions / one walk and one pass`, ratio, { limit: 2, unit: '×', note });
}

/** The same messages in one conversation that was compressed over and over, and in sessions that have nothing to do with each other. */
async function benchConversation(directory) {
  const cpuMs = async (linked) => {
    const path = join(directory, `hermes-parts-${linked}`);
    const parts = Array.from({ length: 50 }, (_, at) => ({
      id: idOf(at),
      end: linked ? 'compression' : 'cli_close',
      ...(linked && at > 0 && { parent: idOf(at - 1) }),
      messages: Array.from({ length: 400 }, (__, n) => `message ${n}`),
    }));
    await buildHome(path, { sessions: parts });
    const driver = driverOf(path);
    const { sessions } = await driver.scan();
    const taken = await measured(() => driver.discard('bench', sessions.toReversed().map(toItem)));
    rmSync(path, { recursive: true });
    return taken.cpuMs;
  };
  const [apart, together] = [await cpuMs(false), await cpuMs(true)];
  const note = `${format(together)} ms of processor time, apart ${format(apart)} ms`;
  report('taking a conversation of 50 parts / the same sessions apart', together / apart, {
    limit: 2,
    unit: '×',
    note,
  });
}

/** A single message is the smallest step, so the bare statement is the limit. */
async function benchLongMessage(directory) {
  const random = seeded(5);
  const text = Array.from({ length: 1000 }, () => sentence(random, 5000)).join(' ');
  const path = join(directory, 'hermes-message');
  await buildHome(path, { sessions: [{ id: 's', messages: ['one', text] }] });
  const bare = `${path}-bare`;
  cpSync(path, bare, { recursive: true });
  const driver = driverOf(path);
  const { sessions } = await driver.scan();
  const ours = worst(await locks(() => driver.discard('bench', sessions.map(toItem))));
  const raw = worst(await locks(() => bareDeleteRows(bare, ['s'])));
  const back = worst(await locks(() => driver.restore('bench', sessions.map(toItem))));
  const note = `${format(ours)} ms of processor time, bare ${format(raw)} ms; coming back ${format(back)} ms`;
  report('write lock held for a message of 5 MB / the bare delete', ours / raw, { limit: 1.5, unit: '×', note });
  for (const home of [path, bare]) rmSync(home, { recursive: true });
}

/** Every row of both tables, with the sizes of what is in it. */
function readTables(path) {
  const db = new Database(join(path, 'state.db'), { readonly: true });
  for (const table of ['sessions', 'messages']) {
    const texts = db
      .prepare(`SELECT name FROM pragma_table_info(?) WHERE type IN ('TEXT', 'BLOB')`)
      .pluck()
      .all(table)
      .map((column) => `ifnull(octet_length("${String(column)}"), 0)`);
    const own = table === 'sessions' ? '*' : 'session_id, id, timestamp';
    for (const _ of db
      .prepare(`SELECT ${own}, ${texts.join(' + ')} FROM ${table}`)
      .raw()
      .iterate());
  }
  db.close();
}

async function benchPrune(template, directory) {
  const rounds = [];
  for (let round = 0; round < 3; round += 1) {
    const [path, bare] = ['hermes-ours', 'hermes-bare'].map((name) => join(directory, name));
    for (const copy of [path, bare]) cpSync(template, copy, { recursive: true, preserveTimestamps: true });
    const home = await openHome({ path });
    const plan = await home.plan({ kind: 'prune', filter: {}, before: Date.now() - BEFORE_MS, part: 'all' });
    const ids = plan.decisions.filter(({ action }) => action !== 'keep').map(({ item }) => item.id);
    let run;
    const prune = async () => void ({ run } = await home.apply(plan));
    const remove = () => bareDelete(bare, ids);
    const [first, second] = round % 2 === 0 ? [prune, remove] : [remove, prune];
    const [a, b] = [await measured(first), await measured(second)];
    const undo = await timed(() => home.undo(run.id));
    await home.close();
    rounds.push(round % 2 === 0 ? { ours: a, raw: b, undo, ids } : { ours: b, raw: a, undo, ids });
    for (const copy of [path, bare]) rmSync(copy, { recursive: true });
  }
  const middle = (pick) => median(rounds.map(pick));
  const cpu = middle(({ ours, raw }) => ours.cpuMs / raw.cpuMs);
  const times = `${format(middle(({ ours }) => ours.ms))} ms, bare ${format(middle(({ raw }) => raw.ms))} ms`;
  const note = `${times}; CPU ${format(cpu)}×; undo ${format(middle(({ undo }) => undo))} ms`;
  const name = `prune ${rounds[0].ids.length} of 5 000 Hermes sessions / bare deletes and renames`;
  report(
    name,
    middle(({ ours, raw }) => ours.ms / raw.ms),
    { limit: 2, unit: '×', note },
  );
}

/** The same rows by the same triggers in steps of the same length, and one rename per file. Nothing is kept. */
function bareDelete(path, ids) {
  bareDeleteRows(path, ids);
  const wanted = new Set(ids);
  mkdirSync(join(path, 'trash'));
  for (const name of readdirSync(join(path, 'sessions'))) {
    if (wanted.has(/\d{8}_\d{6}_abcdef/.exec(name)?.[0]))
      renameSync(join(path, 'sessions', name), join(path, 'trash', name));
  }
}

export function bareDeleteRows(path, ids) {
  const db = new Database(join(path, 'state.db'), { timeout: 30_000 });
  for (const pragma of ['foreign_keys = ON', 'synchronous = NORMAL', 'wal_autocheckpoint = 0']) db.pragma(pragma);
  const steps = [
    'UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?',
    'DELETE FROM messages WHERE session_id = ?',
    'DELETE FROM compression_locks WHERE session_id = ?',
    'DELETE FROM sessions WHERE id = ?',
  ].map((sql) => db.prepare(sql));
  for (let next = 0; next < ids.length; ) {
    const startedAt = performance.now();
    db.exec('BEGIN IMMEDIATE');
    const first = next;
    do {
      for (const step of steps) step.run(ids[next]);
      next += 1;
    } while (next < ids.length && performance.now() - startedAt < STEP_MS);
    db.exec('COMMIT');
    if (Math.floor(next / SESSIONS_A_CHECKPOINT) > Math.floor(first / SESSIONS_A_CHECKPOINT))
      db.pragma('wal_checkpoint(PASSIVE)');
  }
  db.pragma('wal_checkpoint(PASSIVE)');
  db.close();
}

export function toItem({ kind, id, fingerprint }, index) {
  const item = { kind, id };
  const number = index + 1;
  return {
    number,
    item,
    action: 'remove',
    reason: 'named',
    fingerprint,
    sizeBytes: 0,
    skipsTrash: false,
    state: 'intended',
  };
}

export function driverOf(home) {
  const companion = nativeLayout(join(home, '.coppice'));
  return createHermesDriver({ home, clock: { now: () => Date.now() }, companion });
}
