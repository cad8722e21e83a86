// Takes checkpoints of one folder the way Hermes does, one after the other, until its input ends; then says how that went.
// Run as: node hermes-taker.js CHECKPOINTS_DIR WORKDIR v1|v2 [lock] [gc]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, , checkpoints, workdir, layout, ...manners] = process.argv;
const hash = createHash('sha256').update(workdir).digest('hex').slice(0, 16);
const gitDir = join(checkpoints, layout === 'v1' ? hash : 'store');
const lock = join(dirname(checkpoints), '.checkpoints.lock');
const env = {
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_DIR: gitDir,
  GIT_WORK_TREE: workdir,
  ...(layout === 'v2' && { GIT_INDEX_FILE: join(gitDir, 'indexes', hash) }),
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'H'],
      [`GIT_${who}_EMAIL`, 'h@l'],
    ]),
  ),
};
const V1 = 'git add -A && git commit -q --no-gpg-sign -m taken';
const V2 = `git add -A && tree=$(git write-tree) && old=$(git rev-parse refs/hermes/${hash}) &&
  new=$(git commit-tree $tree -p $old -m taken) && git update-ref refs/hermes/${hash} $new $old`;
const GC = 'git reflog expire --expire=now --all; git gc -q --prune=now';

const failures = [];
const gcFailures = [];
let takes = 0;
const sh = (script, failed) => {
  const [program, ...args] = manners.includes('lock') ? ['flock', lock, 'sh', '-c', script] : ['sh', '-c', script];
  const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) failed.push(stderr.trim());
};

const input = { ended: false };
process.stdin.on('end', () => (input.ended = true)).resume();
process.stdout.write('ready\n');
while (!input.ended) {
  takes += 1;
  writeFileSync(join(workdir, 'work.txt'), `take ${takes}\n`);
  sh(layout === 'v1' ? V1 : V2, failures);
  if (manners.includes('gc') && takes % 3 === 0) sh(GC, gcFailures);
  await new Promise((resolve) => setTimeout(resolve, 30));
}
process.stdout.write(`${JSON.stringify({ takes, failures, gcFailures })}\n`);
