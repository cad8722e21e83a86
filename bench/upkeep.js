// What unattended upkeep costs: a pass that finds nothing to do, and old trash that is emptied beside somebody who writes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHome } from '../dist/index.js';
import { buildHome, SESSIONS } from './large-home.js';
import { appendTimes, compare, format, percentile, report } from './measure.js';

const PURGED = 5000;
/** Younger than anything that expires, and too long to be trivial. */
const YOUNG = { days: 20, messagesEach: 6 };

/** A pass over a home in which nothing is due, against the scan that it cannot do without. */
export async function benchIdlePass(directory) {
  const path = join(directory, 'idle');
  await buildHome(path, { sessions: SESSIONS, ...YOUNG });
  const home = await openHome({ path, settings: [{ key: 'sessions.auto_prune', value: 'true' }] });
  const retention = await home.retention();
  // The first pass lays in the reserve and remembers the rules.
  await retention.maintain({ now: true });
  const passes = [];
  const { ratio, oursMs, bareMs } = await compare(
    7,
    async () => passes.push(await retention.maintain({ now: true })),
    () => retention.scan(),
  );
  if (passes.some(({ status, removed }) => status !== 'done' || removed > 0))
    throw new Error('There was something to do.');
  const note = `${format(oursMs)} ms, scan ${format(bareMs)} ms`;
  report(`a pass with nothing to do over ${SESSIONS} sessions / one scan`, ratio, { limit: 1.3, unit: '×', note });
  await home.close();
  rmSync(path, { recursive: true });
}

/** Appends in this process, alone and while another empties trash whose time is over. */
export async function benchPurgeBesideWriter(directory) {
  const path = join(directory, 'purge');
  await buildHome(path, { sessions: PURGED, messagesEach: 5 });
  const home = await openHome({ path });
  const ids = Array.from({ length: PURGED }, (_, index) => `session-${index + 1}`);
  await home.apply(await home.plan({ kind: 'delete', ids }));
  const session = await home.sessions.create({ source: 'cli' });
  const idle = await appendTimes(session, (times) => times.length < 2000);
  const script = fileURLToPath(new URL('./purge-process.js', import.meta.url));
  const child = spawn(process.execPath, [script, path], { stdio: 'inherit' });
  let running = true;
  const ended = once(child, 'exit').then(() => (running = false));
  const busy = await appendTimes(session, () => running);
  await ended;
  await home.close();
  const [atRest, beside] = [idle, busy].map((times) => percentile(times, 0.99));
  const note = `${busy.length} appends; ${format(beside)} ms, idle ${format(atRest)} ms`;
  report(`append p99 while ${PURGED} expired sessions are purged / idle p99`, beside / atRest, {
    limit: 4,
    unit: '×',
    note,
  });
  rmSync(path, { recursive: true });
}
