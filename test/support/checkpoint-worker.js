// Works on the checkpoints of a home from the built code, until it is told to stop by a line on its input or is killed.
// Run as: node checkpoint-worker.js ROLE HOME WORK NAME [STEP]
// `write` changes files and takes checkpoints, `prune` removes and reclaims, `both` does each in turn; `bounded` changes and takes
// more, and leaves the rest to the limits of the home. A line of JSON says
// what was done, as it is done. With STEP it kills itself there: a step is a git that is started, or a file that is moved or
// removed.
import childProcess from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [, , role, path, work, name, killAt = 'Infinity'] = process.argv;
const { mkdirSync, renameSync, writeFileSync } = fs;
if (killAt !== 'Infinity') countSteps();
const { openHome } = await import('../../dist/app/open-home.js');
const PROJECTS = role === 'bounded' ? 2 : 5;
const bounded = role === 'bounded';
const settings = [
  { key: 'disk.ballast_mb', value: 'never' },
  { key: 'checkpoints.auto_prune', value: String(bounded) },
  ...(bounded
    ? [{ key: 'checkpoints.max_total_size_mb', value: '3' }]
    : [{ key: 'checkpoints.max_snapshots', value: '3' }]),
];
const stop = new AbortController();
process.stdin.on('data', () => stop.abort());

const home = await openHome({ path, env: {}, settings });
say({ ready: true });
for (let turn = 0; !stop.signal.aborted; turn += 1) {
  try {
    if (role !== 'prune') await write(turn);
    if (role === 'prune' || role === 'both') await prune(turn);
    if (bounded) await home.checkpoints.settled();
  } catch (error) {
    say({ failed: error.stack });
  }
}
await home.close();
process.stdin.destroy();

async function write(turn) {
  const workdir = join(work, `p${(Number(name) + turn) % PROJECTS}`);
  mkdirSync(join(workdir, 'dir'), { recursive: true });
  for (let file = 0; file < 4; file += 1) put(join(workdir, 'dir', `${name}-${(turn + file) % 7}`), turn % 3);
  const result = await home.checkpoints.take({ workdir, reason: `${name} ${turn}` });
  if (result.status === 'refused') throw new Error(result.message);
  if (result.status === 'taken') say({ taken: result.checkpoint.id });
}

/** A file that says what is in it, put in place whole. Some content comes again, so that dropped objects are wanted again. */
function put(target, again) {
  const body = again === 0 ? 'again '.repeat(200) : randomBytes(bounded ? 30_000 : 3000).toString('hex');
  writeFileSync(`${target}.${name}.new`, `${createHash('sha256').update(body).digest('hex')}\n${body}`);
  renameSync(`${target}.${name}.new`, target);
}

async function prune(turn) {
  const retention = await home.retention();
  const applied = await home.checkpoints.prune({ keepOrphans: false });
  if (applied !== undefined && turn % 3 === 1) await home.undo(applied.run.id);
  if (applied !== undefined && turn % 3 !== 1) await retention.emptyTrash(applied.run.id);
  // Everything that nothing needs goes at once, and every other time all that is needed is packed.
  const freedBytes = await retention.reclaimCheckpoints({ maxBytes: turn % 2 === 0 ? 1 : 1e12, insist: true });
  say({ pruned: applied?.done ?? 0, freedBytes });
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Every other time before the step, else a moment into it. */
function countSteps() {
  let steps = 0;
  const at = Number(killAt);
  const counted = (real) =>
    function step(...args) {
      steps += 1;
      if (steps === at && at % 2 === 0) process.kill(process.pid, 'SIGKILL');
      // Before the step: one that throws must not let it live for ever.
      if (steps === at) setTimeout(() => process.kill(process.pid, 'SIGKILL'), at % 7);
      return real.apply(this, args);
    };
  childProcess.spawn = counted(childProcess.spawn);
  for (const call of ['rmSync', 'renameSync']) fs[call] = counted(fs[call]);
  syncBuiltinESMExports();
}
