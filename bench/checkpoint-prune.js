// Removing checkpoints: the work follows what is removed, not what there is. Beside the bare change of the same refs. Work is
// processor time, of this process and the git commands it started: what a busy disk adds is the same for both sides.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHome } from '../dist/index.js';
import { format, median, report } from './measure.js';

const PROJECTS = 5;
const ROUNDS = 3;
const NO_ID = '0'.repeat(40);
const SETTINGS = [
  { key: 'checkpoints.auto_prune', value: 'false' },
  { key: 'checkpoints.max_snapshots', value: '100000' },
];

export async function benchCheckpointPrune(directory) {
  const root = join(directory, 'checkpoint-prune');
  const small = await storeOf(join(root, 'small'), 1200);
  const large = await storeOf(join(root, 'large'), 5000);
  const bare = bareRefs(large);
  const times = { small: [], large: [], few: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.small.push(await removal(small, 1000));
    times.bare.push(await bare(1000));
    times.large.push(await removal(large, 1000));
    times.few.push((await removal(large, 100)) * 10);
  }
  for (const { home } of [small, large]) await home.close();
  // Whoever removes looks at every checkpoint once.
  compareTimes(times.large, times.small, { name: '1 000 of 1 200', limit: 1.4 });
  compareTimes(times.large, times.few, { name: '100 of them ten times', limit: 1.2 });
  compareTimes(times.large, times.bare, { name: 'bare git update-ref', limit: 2 });
}

function compareTimes(ours, other, { name, limit }) {
  const ratio = median(ours.map((ms, round) => ms / other[round]));
  const note = `${format(median(ours))} ms, beside ${format(median(other))} ms`;
  report(`remove 1 000 of 5 000 checkpoints / ${name}`, ratio, { limit, unit: '×', note });
}

/** From the plan, which looks at everything and is shown first, to the last checkpoint removed. Undone, for the next round. */
async function removal({ home, count }, remove) {
  const maxSnapshots = Math.floor((count - remove) / PROJECTS);
  const plan = await home.plan({ kind: 'checkpoints', keepOrphans: true, maxSnapshots });
  let run;
  const ms = await worked(async () => {
    ({ run } = await home.apply(plan));
  });
  await home.undo(run.id);
  return ms;
}

/** User and system time, own and that of children that have ended, in hundredths of a second. */
function workedMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

async function worked(work) {
  const start = workedMs();
  await work();
  return workedMs() - start;
}

/** The same moves of refs in groups of 100, as careful about pins and the disk, by one git for each group; then undone. */
function bareRefs({ store, refs }) {
  const git = (lines) =>
    execFileSync('git', ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=batch', 'update-ref', '--stdin'], {
      env: { PATH: process.env.PATH, GIT_DIR: store },
      input: lines.join(''),
    });
  const inGroups = (lines) => {
    for (let at = 0; at < lines.length; at += 100) git(lines.slice(at, at + 100));
  };
  return async (count) => {
    const moved = refs.slice(0, count).map(({ ref, id }, at) => ({ ref, id, to: `refs/bench/${at}` }));
    const ms = await worked(() => inGroups(moved.map(moveLines)));
    inGroups(moved.map(({ ref, id, to }) => `create ${ref} ${id}\ndelete ${to} ${id}\n`));
    return ms;
  };
}

function moveLines({ ref, id, to }) {
  return `create ${to} ${id}\nverify refs/coppice/pins/${id} ${NO_ID}\ndelete ${ref} ${id}\n`;
}

/** A store with this many checkpoints of three small files each, a minute apart. */
async function storeOf(path, count) {
  const home = await openHome({ path, settings: SETTINGS });
  const projects = [];
  for (let at = 0; at < PROJECTS; at += 1) {
    const workdir = join(`${path}-projects`, `p${at}`);
    mkdirSync(workdir, { recursive: true });
    writeFileSync(join(workdir, 'file'), String(at));
    projects.push((await home.checkpoints.take({ workdir })).checkpoint);
  }
  const store = join(path, 'checkpoints', 'store');
  const made = Array.from({ length: count - PROJECTS }, (_, at) => commitOf(projects[at % PROJECTS], count - at));
  const marks = join(path, 'marks');
  const git = (args, input) => execFileSync('git', args, { env: { PATH: process.env.PATH, GIT_DIR: store }, input });
  git(
    ['fast-import', '--quiet', '--force', `--export-marks=${marks}`],
    made.map(({ text }, at) => text(at + 1)).join(''),
  );
  const ids = execFileSync('sort', ['-t:', '-k2n', marks], { encoding: 'utf8' }).trim().split('\n');
  const refs = ids.map((line, at) => {
    const id = line.split(' ')[1];
    return { id, ref: `refs/coppice/snapshots/${made[at].projectId}/${id}` };
  });
  git(
    ['update-ref', '--stdin'],
    `${refs.map(({ ref, id }) => `create ${ref} ${id}\n`).join('')}delete refs/bench/all\n`,
  );
  return { home, store, refs, count };
}

function commitOf({ projectId, workdir, takenAt: newestAt }, age) {
  const takenAt = newestAt - age * 60_000;
  const facts = { version: 1, reason: 'r', projectId, workdir, takenAt, kind: 'taken', fileCount: 3, leftOutCount: 0 };
  const message = `r\n\n${JSON.stringify(facts)}\n`;
  const files = ['a', 'b', 'c'].map((name) => {
    const body = `${age} ${name}`.repeat(20);
    return `M 644 inline ${name}\ndata ${body.length}\n${body}\n`;
  });
  const text = (mark) =>
    `commit refs/bench/all\nmark :${mark}\ncommitter Coppice <coppice@localhost> ${Math.floor(takenAt / 1000)} +0000\n` +
    `data ${message.length}\n${message}deleteall\n${files.join('')}\nreset refs/bench/all\n\n`;
  return { projectId, text };
}
