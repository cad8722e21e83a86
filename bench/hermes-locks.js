// How long the write lock of a Hermes home is held, in both journals, and how long Hermes has to wait meanwhile.
// COPPICE_BENCH_HERMES_SESSIONS makes the larger home smaller.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { bareDeleteRows, buildOldHome, driverOf, toItem } from './hermes.js';
import { clock, locks, worst } from './locks.js';
import { format, report } from './measure.js';

const LARGE = Number(process.env.COPPICE_BENCH_HERMES_SESSIONS ?? 50_000);
const SMALL = Math.min(LARGE, 5000);
const STAND_IN = fileURLToPath(new URL('../test/support/hermes-stand-in.js', import.meta.url));

export async function benchHermesLocks(directory) {
  for (const [journal, sessions] of Object.entries({ wal: LARGE, delete: SMALL })) {
    console.log(`Building a Hermes home of ${sessions} sessions …`);
    const path = join(directory, `hermes-locks-${journal}`);
    await buildOldHome(path, { sessions, talk: 4, output: 8000, journal });
    await benchBeside(path, `${sessions}, ${journal}`);
    rmSync(path, { recursive: true });
  }
}

/**
 * A stand-in for Hermes writes all the while. The same work is done by bare statements afterwards, beside a stand-in of its own: what
 * those take on the clock, and how long it waits for them, shows what the machine adds to everybody. The processor time of ours
 * is what ours alone is answerable for.
 */
async function benchBeside(path, name) {
  const driver = driverOf(path);
  const db = new Database(join(path, 'state.db'));
  db.prepare(`INSERT INTO sessions (id, source, started_at) VALUES ('live', 'cli', ?)`).run(Date.now() / 1000);
  db.close();
  const { sessions } = await driver.scan();
  const old = sessions.filter(({ active }) => !active);
  const items = old.slice(0, BESIDE).map(toItem);
  const bare = old.slice(BESIDE, 2 * BESIDE).map(({ id }) => id);
  const [took, back, plain] = [[], [], []];
  const { p50, p99, max } = await besideHermes(path, async () => {
    for (const some of groups(items)) {
      took.push(...(await locks(() => driver.discard('bench', some))));
      back.push(...(await locks(() => driver.restore('bench', some))));
    }
  });
  const beside = await besideHermes(path, async () => {
    for (const some of groups(bare)) plain.push(...(await locks(() => bareDeleteRows(path, some))));
  });
  for (const [act, spans] of Object.entries({ 'taking sessions': took, 'bringing them back': back })) {
    const note = `of processor time; ${clock(spans)}; bare deletes ${clock(plain)}`;
    report(`write lock held at most, ${act}, Hermes home of ${name}`, worst(spans), {
      limit: 100,
      unit: ' ms',
      note,
    });
  }
  const waits = `p50 ${format(p50)} ms, at most ${format(max)} ms; bare deletes p99 ${format(beside.p99)} ms`;
  report(`wait of a writing Hermes meanwhile (${name}), p99`, p99, { limit: 200, unit: ' ms', note: waits });
}

/** How long a stand-in for Hermes waited for its writes while something else worked. */
async function besideHermes(path, work) {
  const child = spawn(process.execPath, [STAND_IN, join(path, 'state.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = [];
  child.stdout.setEncoding('utf8').on('data', (text) => said.push(text));
  await once(child.stdout, 'data');
  await work();
  child.stdin.end();
  await once(child, 'close');
  return JSON.parse(said.join('').split('\n')[1]);
}

function groups(all) {
  return Array.from({ length: Math.ceil(all.length / GROUP) }, (_, at) => all.slice(at * GROUP, (at + 1) * GROUP));
}

const BESIDE = 1500;
const GROUP = 500;
