// Two thirds of a Hermes home go, come back and go for good: against the same work in bulk with nothing kept, and against what
// Hermes itself does for it, by the interpreter that it runs on. COPPICE_BENCH_BULK_SESSIONS makes the home smaller.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openHome } from '../dist/index.js';
import { buildOldHome } from './hermes.js';
import { measured } from './locks.js';
import { format, median, report } from './measure.js';
import { peakOfScript } from './processes.js';

const SESSIONS = Number(process.env.COPPICE_BENCH_BULK_SESSIONS ?? 5000);
const BEFORE_MS = 67 * 86_400_000;
const ROUNDS = 3;
const PRUNE = fileURLToPath(new URL('./prune-process.js', import.meta.url));
const AS_HERMES = fileURLToPath(new URL('./hermes-prune.py', import.meta.url));

export async function benchHermesBulk(directory) {
  for (const journal of ['wal', 'delete']) {
    const template = join(directory, `hermes-${journal}`);
    await buildOldHome(template, { sessions: SESSIONS, talk: 10, output: 0, journal });
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await oneRound(template, directory, round % 2 === 0));
    for (const act of ['prune', 'undo', 'purge']) reportAct(act, journal, rounds);
    reportHermes(journal, rounds);
    const copy = join(directory, 'hermes-peak');
    cpSync(template, copy, { recursive: true, preserveTimestamps: true });
    const peak = peakOfScript([PRUNE, copy], directory);
    report(`peak memory: prune and purge of a Hermes home, ${journal}`, peak, { limit: 100, unit: ' MB' });
    for (const home of [copy, template]) rmSync(home, { recursive: true });
  }
}

function reportAct(act, journal, rounds) {
  for (const [name, unit] of Object.entries({ ms: 'on the clock', cpuMs: 'of processor time' })) {
    const middle = (pick) => median(rounds.map(pick));
    const ours = middle(({ ours: times }) => times[act][name]);
    const bare = middle(({ bare: times }) => times[act][name]);
    const ratio = middle((round) => round.ours[act][name] / round.bare[act][name]);
    const note = `${format(ours)} ms ${unit}, bare ${format(bare)} ms; ${rounds[0].count} of ${SESSIONS} sessions`;
    report(`${act} of a Hermes home (${journal}) / bulk, ${unit}`, ratio, { limit: 2.5, unit: '×', note });
  }
}

/** The bare work beside it is what nobody can be faster than who lets the triggers of Hermes do their work. */
function reportHermes(journal, rounds) {
  for (const [name, unit] of Object.entries({ ms: 'on the clock', cpuMs: 'of processor time' })) {
    const middle = (pick) => median(rounds.map(pick));
    const part = (pick) => `${format(middle(({ hermes }) => pick(hermes)[name]))} ms`;
    const bare = format(middle(({ bare: times, hermes }) => times.prune[name] / hermes.all[name]));
    const parts = `its rows ${part(({ rows }) => rows)}, its look for files ${part(({ files }) => files)}`;
    const note = `${rounds[0].hermes.by}: ${parts}; bare bulk ${bare}×`;
    const ratio = middle(({ ours, hermes }) => ours.prune[name] / hermes.all[name]);
    report(`prune of a Hermes home (${journal}) / as Hermes does it, ${unit}`, ratio, { limit: 0.25, unit: '×', note });
  }
}

/** Each on a copy of its own, in turns. */
async function oneRound(template, directory, oursFirst) {
  const paths = ['ours', 'bare', 'own'].map((name) => join(directory, `hermes-${name}`));
  for (const copy of paths) cpSync(template, copy, { recursive: true, preserveTimestamps: true });
  const [path, bulk, own] = paths;
  const ids = oldIds(template);
  let [ours, bare] = [undefined, undefined];
  if (oursFirst) ours = await measureOurs(path, ids.length);
  bare = await measureBulk(bulk, ids);
  ours ??= await measureOurs(path, ids.length);
  const hermes = pruneByPython(own, ids) ?? (await pruneByNode(own, ids));
  for (const copy of paths) rmSync(copy, { recursive: true });
  return { ours, bare, hermes, count: ids.length };
}

async function measureOurs(path, count) {
  const home = await openHome({ path });
  const request = { kind: 'prune', filter: {}, before: Date.now() - BEFORE_MS, part: 'all' };
  const apply = async () => {
    const plan = await home.plan(request);
    let run;
    const times = await measured(async () => void ({ run } = await home.apply(plan)));
    const taken = plan.decisions.filter(({ action }) => action !== 'keep').length;
    if (taken !== count) throw new Error(`${taken} sessions went, and not ${count}.`);
    return { times, run };
  };
  const { times: prune, run: first } = await apply();
  const undo = await measured(() => home.undo(first.id));
  const { run: second } = await apply();
  const retention = await home.retention();
  const purge = await measured(() => retention.emptyTrash(second.id));
  await home.close();
  return { prune, undo, purge };
}

function oldIds(path) {
  const db = new Database(join(path, 'state.db'), { readonly: true });
  const old = 'SELECT id FROM sessions WHERE ended_at < ? AND started_at + 9 * 60 < ?';
  const before = (Date.now() - BEFORE_MS) / 1000;
  const ids = db
    .prepare(old)
    .pluck()
    .all(Date.now() / 1000, before);
  db.close();
  return ids;
}

/** One transaction, one statement a table, one rename a file. */
async function measureBulk(path, ids) {
  const db = new Database(join(path, 'state.db'));
  db.pragma('foreign_keys = ON');
  const named = 'IN (SELECT value FROM json_each(?))';
  const list = JSON.stringify(ids);
  db.exec(`ATTACH ':memory:' AS kept`);
  for (const [table, column] of Object.entries({ sessions: 'id', messages: 'session_id' }))
    db.prepare(`CREATE TABLE kept.${table} AS SELECT * FROM main.${table} WHERE ${column} ${named}`).run(list);
  const names = filesOf(path, ids);
  const [from, to] = ['sessions', 'trash'].map((folder) => join(path, folder));
  mkdirSync(to);
  const prune = await measured(() => {
    db.transaction(() => {
      db.prepare(`DELETE FROM main.messages WHERE session_id ${named}`).run(list);
      db.prepare(`DELETE FROM main.sessions WHERE id ${named}`).run(list);
    })();
    db.pragma('wal_checkpoint(PASSIVE)');
    for (const name of names) renameSync(join(from, name), join(to, name));
  });
  const undo = await measured(() => {
    db.transaction(() => {
      for (const table of ['sessions', 'messages']) db.exec(`INSERT INTO main.${table} SELECT * FROM kept.${table}`);
    })();
    db.pragma('wal_checkpoint(PASSIVE)');
    for (const name of names) renameSync(join(to, name), join(from, name));
  });
  const purge = await measured(() => {
    for (const name of names) unlinkSync(join(from, name));
  });
  db.close();
  return { prune, undo, purge };
}

function filesOf(path, ids) {
  const wanted = new Set(ids);
  return readdirSync(join(path, 'sessions')).filter((name) => wanted.has(/\d{8}_\d{6}_abcdef/.exec(name)?.[0]));
}

/** Undefined where there is no Python whose SQLite knows the search indexes; then nothing was done. */
function pruneByPython(path, ids) {
  const { status, stdout } = spawnSync('python3', [AS_HERMES, path], { input: JSON.stringify(ids), encoding: 'utf8' });
  return status === 0 ? summed(JSON.parse(stdout)) : undefined;
}

/** The same statements and the same look for files, without what an interpreter adds to them. */
async function pruneByNode(path, ids) {
  const rows = await measured(() => deleteAsHermes(path, ids));
  const folder = join(path, 'sessions');
  const files = await measured(() => {
    for (const id of ids) {
      for (const name of readdirSync(folder))
        if (name.startsWith(`request_dump_${id}_`)) unlinkSync(join(folder, name));
    }
  });
  return summed({ by: 'without Python', rows, files });
}

function summed({ by, rows, files }) {
  return { by, rows, files, all: { ms: rows.ms + files.ms, cpuMs: rows.cpuMs + files.cpuMs } };
}

/** Session by session in one transaction. */
function deleteAsHermes(path, ids) {
  const db = new Database(join(path, 'state.db'));
  db.pragma('foreign_keys = ON');
  const steps = [
    'UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?',
    'DELETE FROM messages WHERE session_id = ?',
    'DELETE FROM sessions WHERE id = ?',
  ].map((sql) => db.prepare(sql));
  db.transaction(() => {
    for (const id of ids) for (const step of steps) step.run(id);
  })();
  db.close();
}
