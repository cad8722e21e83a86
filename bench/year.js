// A year of the standard machine, by a clock that is moved: a job every quarter of an hour, a gateway and a person, with the settings
// of somebody who only switched `sessions.auto_prune` on. The bytes on the disk of every day stand against the stated bound.
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHome } from '../dist/index.js';
import { arrivedBytes, daysThere, statedBound } from '../test/support/stated-bound.js';
import { format, report } from './measure.js';
import { seeded, sentence } from './words.js';
import { drawYear } from './year-picture.js';

const DAYS = Number(process.env.COPPICE_BENCH_DAYS ?? 365);
const DAY_MS = 86_400_000;
const MEGABYTE = 1024 * 1024;
const CRON_RUNS = 96;
const PICTURE = fileURLToPath(new URL('../docs/year.svg', import.meta.url));
/** When the machine is off, and for how many days. */
const OUTAGES = new Map([
  [120, 6],
  [240, 14],
]);

const SETTINGS = {
  abandonDays: 1,
  retentionDays: 90,
  noticeDays: 3,
  graceDays: 7,
  intervalDays: 1,
  checkpointBytes: 0,
};

export async function benchYear(directory) {
  // A year has a hundred thousand writes, and each waits for the disk: without one it is minutes instead of an hour.
  const root = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/coppice-year-') : join(directory, 'year');
  mkdirSync(root, { recursive: true });
  try {
    const days = await liveAYear(join(root, 'home'));
    const fullest = days.reduce((most, day) => (day.used / day.bound > most.used / most.bound ? day : most));
    const last = days.at(-1);
    report('a year of the standard machine: most bytes on the disk / the stated bound', fullest.used / fullest.bound, {
      limit: 1,
      unit: '×',
      note: `${megabytes(last.used)} at the end, of ${megabytes(last.bound)}`,
    });
    if (process.argv.includes('year')) {
      writeFileSync(PICTURE, drawYear(days));
      console.log(`Drawn: ${PICTURE}`);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function liveAYear(path) {
  const machine = { path, now: Date.now(), random: seeded(7), today: nothing(), answering: new Map() };
  machine.clock = { now: () => machine.now };
  const days = [];
  const arrived = [];
  let sessionsEver = 0;
  while (days.length < DAYS) {
    for (let off = OUTAGES.get(days.length) ?? 0; off > 0; off -= 1) {
      machine.now += DAY_MS;
      days.push({ ...days.at(-1), isOff: true });
    }
    await liveADay(machine);
    sessionsEver += machine.today.sessions;
    arrived.push(machine.today);
    machine.today = nothing();
    const window = arrived.slice(-Math.ceil(daysThere(SETTINGS))).reduce(together, nothing());
    const ballast = lstatSync(join(path, 'ballast'), { throwIfNoEntry: false });
    const settings = { ...SETTINGS, reserveBytes: ballast === undefined ? 0 : ballast.blocks * 512 };
    const heldBytes = arrivedBytes(answeringNow(machine));
    days.push({ used: diskUsage(path), bound: statedBound(settings, { arrived: window, heldBytes, sessionsEver }) });
  }
  return days;
}

async function liveADay(machine) {
  const { path, clock } = machine;
  const begins = machine.now;
  const home = await openHome({ path, clock, env: {}, settings: [{ key: 'sessions.auto_prune', value: 'true' }] });
  for (let run = 0; run < CRON_RUNS; run += 1) {
    machine.now = begins + (run * DAY_MS) / CRON_RUNS;
    await converse(machine, await home.sessions.create({ source: 'cron' }), { messages: 6, folders: 0 });
    if (run % 12 === 6) await talk(machine, home);
    if (run % 24 !== 18) continue;
    await converse(machine, await home.sessions.create({ source: 'cli', workdir: '/work' }), {
      messages: 20,
      folders: 1,
    });
  }
  machine.now = begins + DAY_MS;
  const pass = await home.maintainInBackground();
  if (pass.status === 'failed') throw new Error(pass.error);
  await home.close();
}

async function converse(machine, session, { messages, folders }) {
  const contents = Array.from({ length: messages }, () => sentence(machine.random));
  await session.appendAll(contents.map((content) => ({ role: 'user', content })));
  await session.end('done');
  note(machine, { sessions: 1, folders, contents });
}

async function talk(machine, home) {
  const key = `telegram:${Math.floor(machine.random() * 3)}`;
  const answered = await home.gateway.resolve({ key, source: 'telegram' });
  const isNew = ['created', 'reset'].includes(answered.resolution.kind);
  const content = sentence(machine.random);
  await answered.append({ role: 'user', content });
  const before = isNew ? 0 : (machine.answering.get(key) ?? 0);
  machine.answering.set(key, before + Buffer.byteLength(content));
  note(machine, { sessions: isNew ? 1 : 0, folders: isNew ? 1 : 0, contents: [content] });
}

/** The conversations that go on, however old they are. */
function answeringNow({ answering }) {
  const contentBytes = [...answering.values()].reduce((sum, bytes) => sum + bytes, 0);
  return { sessions: answering.size, folders: answering.size, contentBytes };
}

function note(machine, { sessions, folders, contents }) {
  const contentBytes = contents.reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  machine.today = together(machine.today, { sessions, folders, contentBytes });
}

function nothing() {
  return { sessions: 0, folders: 0, contentBytes: 0 };
}

function together(one, other) {
  return {
    sessions: one.sessions + other.sessions,
    folders: one.folders + other.folders,
    contentBytes: one.contentBytes + other.contentBytes,
  };
}

/** What `du` says. */
function diskUsage(path) {
  const stat = lstatSync(path);
  const own = stat.blocks * 512;
  if (!stat.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + diskUsage(join(path, name)), own);
}

function megabytes(bytes) {
  return `${format(bytes / MEGABYTE)} MB`;
}
