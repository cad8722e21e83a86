// Planning, pruning and undoing against the bare work they rest on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { nativeLayout } from '../dist/homes/native/native-layout.js';
import { openHome } from '../dist/index.js';
import { buildHome, SESSIONS as LARGE } from './large-home.js';
import { appendTimes, format, median, percentile, report, timed } from './measure.js';
import { peakMegabytes } from './processes.js';
import { scanSessions, walk } from './reading.js';

const SESSIONS = 10_000;
const PRUNED = 5000;
const CHUNK = 500;

export async function benchRetention(directory) {
  const path = join(directory, 'prune');
  await buildHome(path, { sessions: SESSIONS, messagesEach: 5, dumps: 1 });
  const [unfiled, bare] = ['unfiled', 'bare'].map((name) => copy(path, `${path}-${name}`));
  const ids = Array.from({ length: PRUNED }, (_, index) => `session-${index + 1}`);

  const whole = await pruneAndPurge(path, ids);
  const rows = await pruneAndPurge(unfiled, ids, (trash) => removeFolders(trash));
  const raw = await timed(() => bareDelete(bare, ids));
  const unlinks = await timed(() => removeFolders(join(bare, 'trash')));

  // The bare work has no unlinks: neither has this purge, whose trash was emptied of files before.
  report('prune 5 000 of 10 000 and purge their rows / bare deletes and renames', (rows.prune + rows.purge) / raw, {
    limit: 2,
    unit: '×',
    note: `${format(rows.prune)} + ${format(rows.purge)} ms, bare ${format(raw)} ms`,
  });
  const gone = whole.prune + whole.purge;
  report('the same and their files / bare deletes, renames and unlinks', gone / (raw + unlinks), {
    limit: 2,
    unit: '×',
    note: `${format(whole.prune)} + ${format(whole.purge)} ms, unlinks ${format(unlinks)} ms; without those ${format(gone / raw)}×`,
  });
  report('undo 5 000 sessions / the prune', whole.undo / gone, {
    limit: 2,
    unit: '×',
    note: `${format(whole.undo)} ms`,
  });
  for (const made of [path, unfiled, bare]) rmSync(made, { recursive: true });
}

function copy(from, to) {
  cpSync(from, to, { recursive: true });
  return to;
}

async function pruneAndPurge(path, ids, beforePurge) {
  const home = await openHome({ path });
  const plan = await home.plan({ kind: 'delete', ids });
  let run;
  const prune = await timed(async () => ({ run } = await home.apply(plan)));
  const undo = await timed(() => home.undo(run.id));
  const again = await home.apply(await home.plan({ kind: 'delete', ids }));
  beforePurge?.(join(path, 'trash', again.run.id));
  const purge = await timed(async () => (await home.retention()).emptyTrash(again.run.id));
  await home.close();
  return { prune, undo, purge };
}

function removeFolders(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) rmSync(join(directory, entry.name), { recursive: true });
}

/** Rows in chunks with the same triggers, one statement for each table, and one rename per session. */
function bareDelete(path, ids) {
  const layout = nativeLayout(path);
  const db = new Database(layout.database);
  db.pragma('synchronous = FULL');
  db.pragma('cache_size = -16000');
  const keysOf = db.prepare('SELECT key FROM sessions WHERE id IN (SELECT value FROM json_each(?))').pluck();
  const dropMessages = db.prepare('DELETE FROM messages WHERE session_key IN (SELECT value FROM json_each(?))');
  const dropSessions = db.prepare('DELETE FROM sessions WHERE key IN (SELECT value FROM json_each(?))');
  // The index merges by command: without it the next search would pay for what was deleted.
  const merges = ['message_words', 'message_parts'].map((index) =>
    db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`),
  );
  const remove = db.transaction((some) => {
    const keys = JSON.stringify(keysOf.all(JSON.stringify(some)));
    dropMessages.run(keys);
    dropSessions.run(keys);
    for (const merge of merges) merge.run(BigInt(CHUNK));
  });
  // Five messages a session: a chunk of sessions makes a transaction of 500 rows.
  for (let at = 0; at < ids.length; at += CHUNK / 5) remove(ids.slice(at, at + CHUNK / 5));
  mkdirSync(join(path, 'trash'));
  for (const [index, id] of ids.entries()) renameSync(layout.sessionDir(id), join(path, 'trash', String(index)));
  db.close();
}

/** Sessions with three files each, of which nearly all go. */
export async function benchPlan(directory) {
  const home = join(directory, 'files');
  await buildHome(home, { sessions: LARGE, messagesEach: 2, dumps: 2 });
  const opened = await openHome({ path: home, settings: [{ key: 'sessions.auto_prune', value: 'true' }] });
  const rounds = [];
  for (let round = 0; round < 5; round += 1) {
    const ours = await timed(() => opened.plan());
    const raw = await timed(() => {
      scanSessions(join(home, 'state.db'));
      walk(join(home, 'sessions'));
    });
    rounds.push({ ours, raw });
  }
  const ratio = median(rounds.map(({ ours, raw }) => ours / raw));
  const note = `${format(median(rounds.map(({ ours }) => ours)))} ms`;
  report('plan of 100 000 + 300 000 files / one walk and one table scan', ratio, { limit: 1.5, unit: '×', note });
  // The first pass is due, and only says what it would do.
  await opened.maintainInBackground();
  const gates = [];
  for (let round = 0; round < 200; round += 1) gates.push(await timed(() => opened.maintainInBackground()));
  report('start-up gate when nothing is due', median(gates), { limit: 2, unit: ' ms' });
  await opened.close();
  for (const command of ['plan', 'status']) {
    const peak = peakMegabytes([command, '--home', home], directory);
    report(`peak memory: coppice ${command} of 100 000 + 300 000 files`, peak, { limit: 200, unit: ' MB' });
  }
  rmSync(home, { recursive: true });
}

/** Appends in this process, alone and while another process prunes. */
export async function benchAppendsDuringPrune(directory) {
  const path = join(directory, 'busy');
  await buildHome(path, { sessions: 50_000, messagesEach: 2 });
  const home = await openHome({ path });
  const session = await home.sessions.create({ source: 'cli' });
  const idle = await appendTimes(session, (times) => times.length < 2000);
  const script = fileURLToPath(new URL('./prune-process.js', import.meta.url));
  const child = spawn(process.execPath, [script, path], { stdio: 'inherit' });
  let running = true;
  const ended = once(child, 'exit').then(() => (running = false));
  const busy = await appendTimes(session, () => running);
  await ended;
  await home.close();
  const note = `${busy.length} appends; idle ${format(percentile(idle, 0.99))} ms`;
  report('append p99 while 50 000 sessions are pruned', percentile(busy, 0.99), { limit: 20, unit: ' ms', note });
  report('append p99 then / idle p99', percentile(busy, 0.99) / percentile(idle, 0.99), { limit: 4, unit: '×' });
  rmSync(path, { recursive: true });
}
