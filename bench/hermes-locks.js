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
 * A stand-in for Hermes writes all the while. Between two groups of ours the same work is done by bare statements: what those
 * take on the clock shows what the machine adds to everybody, and the processor time of ours is what ours alone is answerable for.
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
  const child = spawn(process.execPath, [STAND_IN, join(path, 'state.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = [];
  child.stdout.setEncoding('utf8').on('data', (text) => said.push(text));
  await once(child.stdout, 'data');
  const [took, back, plain] = [[], [], []];
  for (let first = 0; first < items.length; first += GROUP) {
    const some = items.slice(first, first + GROUP);
    took.push(...(await locks(() => driver.discard('bench', some))));
    plain.push(...(await locks(() => bareDeleteRows(path, bare.slice(first, first + GROUP)))));
    back.push(...(await locks(() => driver.restore('bench', some))));
  }
  child.stdin.end();
  await once(child, 'close');
  const { p50, p99, max } = JSON.parse(said.join('').split('\n')[1]);
  for (const [act, spans] of Object.entries({ 'taking sessions': took, 'bringing them back': back })) {
    const note = `of processor time; ${clock(spans)}; bare deletes ${clock(plain)}`;
    report(`write lock held at most, ${act}, Hermes home of ${name}`, worst(spans), {
      limit: 100,
      unit: ' ms',
      note,
    });
  }
  const waits = `p50 ${format(p50)} ms, at most ${format(max)} ms`;
  report(`wait of a writing Hermes meanwhile (${name}), p99`, p99, { limit: 200, unit: ' ms', note: waits });
}

const BESIDE = 1500;
const GROUP = 500;
