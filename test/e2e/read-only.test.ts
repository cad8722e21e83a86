import { spawn } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { TORTURE } from '../support/campaign.ts';
import { treeOf } from '../support/engine-checker.ts';
import { inTwoLanes } from '../support/engine-kill.ts';
import { signalAt } from '../support/kill-program.ts';
import { NOBODY, PERMISSIONS_BIND } from '../support/nobody.ts';
import { MOUNTS_WORK, onReadOnlyDisk } from '../support/read-only-mount.ts';
import { STRACE_WORKS } from '../support/strace.ts';
import { BIN, coppice, type Finished, finished, sandbox } from './run-coppice.ts';

const root = sandbox();
const home = join(root, 'home');
/** The same home after the death of a delete. */
const cutShort = join(root, 'cut-short');
let checkpoint = '';

beforeAll(async () => {
  const project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'file'), 'content');
  await using made = await openHome({ path: home, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
  for (const id of ['one', 'two', 'gone']) {
    const session = await made.sessions.create({ id, source: 'cli' });
    await session.append({ role: 'user', content: `hello from ${id}` });
    await session.end('done');
  }
  await made.apply(await made.plan({ kind: 'delete', ids: ['gone'] }));
  const taken = await made.checkpoints.take({ workdir: project });
  if (taken.status === 'refused') throw new Error(taken.message);
  checkpoint = taken.checkpoint.id;
}, 120_000);

/** Every command that only looks, and something that its answer holds. */
const looks = (): readonly (readonly [line: string, answer: string | RegExp])[] => [
  ['sessions list', 'two'],
  ['sessions list --archived', /./],
  ['sessions show one', 'hello from one'],
  ['sessions search hello', '[hello] from'],
  ['sessions export one', 'hello from one'],
  ['sessions stats', '2 sessions'],
  ['runs', 'delete 1 session'],
  ['status', 'The whole home'],
  ['doctor', 'in order'],
  ['plan', 'Nothing would go'],
  ['explain one', 'too young'],
  ['sessions prune --older-than 1d --dry-run', /./],
  ['trash list', 'gone'],
  ['checkpoints list --all', checkpoint.slice(0, 12)],
  [`checkpoints show ${checkpoint}`, 'file'],
  ['checkpoints status', 'No problems'],
  ['checkpoints verify', /./],
  ['ledger', /./],
  ['sessions routes', /./],
  ['budget', 'Nothing was used in live sessions yet'],
  ['cron list', /./],
  ['config show', /./],
];
/** Git compares a folder by what it puts into its store. */
const changes = () => [
  'sessions delete one --yes',
  'undo --yes',
  'maintain',
  'doctor --repair',
  'sessions pin one',
  `checkpoints diff ${checkpoint}`,
];

type Run = (path: string, line: string) => Promise<Finished>;

const onDisk: Run = (path, line) => {
  const [command = '', ...options] = [...onReadOnlyDisk(path), process.execPath, BIN, ...line.split(' ')];
  const env = { PATH: process.env['PATH'], HOME: root, COPPICE_HOME: path };
  const child = spawn(command, options, { cwd: root, env });
  child.stdin.end();
  return finished(child);
};

async function expectToAnswer(run: Run, path: string, every = 1): Promise<void> {
  const before = treeOf(path);
  const tried = looks().filter((_, index) => index % every === 0);
  await inTwoLanes(tried, async ([line, answer]) => {
    const { code, stdout, stderr } = await run(path, line);
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
    expect(stdout, line).toMatch(answer);
  });
  await inTwoLanes(changes(), async (line) => {
    const { code, stderr } = await run(path, line);
    expect({ line, code }).toEqual({ line, code: 5 });
    expect(stderr, line).toMatch(/read-only|only be read|cannot be written/);
  });
  expect(treeOf(path)).toEqual(before);
}

describe('a home in which nothing can be written', () => {
  it.skipIf(!MOUNTS_WORK)('answers whoever looks, on a disk that can only be read', async () => {
    await expectToAnswer(onDisk, home);
  });

  it.skipIf(!PERMISSIONS_BIND)('answers whoever looks, where the rights are missing', async () => {
    const theirs = join(root, 'theirs');
    cpSync(home, theirs, { recursive: true });
    chmodSync(root, 0o755);
    for (const name of ['', ...readdirSync(theirs, { recursive: true, encoding: 'utf8' })]) {
      const path = join(theirs, name);
      chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
    }
    await expectToAnswer((path, line) => coppice(path, line.split(' '), NOBODY), theirs, TORTURE ? 1 : 3);
  });

  it.skipIf(!MOUNTS_WORK || !STRACE_WORKS)('says what is unfinished, and what finishes it', async () => {
    cpSync(home, cutShort, { recursive: true });
    await signalAt(cutShort, ['sessions', 'delete', 'one', '--yes'], { call: 'rename', when: 1, signal: 'SIGKILL' });
    const names = readdirSync(cutShort);
    for (const line of ['sessions list', 'runs', 'trash list', 'plan']) {
      const { code, stderr } = await onDisk(cutShort, line);
      expect({ line, code }).toEqual({ line, code: 0 });
      expect(stderr).toMatch(
        /is not finished yet\. Nothing can be written in .*: it can only be read here\..*coppice doctor --repair/,
      );
    }
    expect((await onDisk(cutShort, 'status')).stdout).toMatch(/^Note: .*is not finished yet/);
    expect((await onDisk(cutShort, 'doctor')).stdout).toContain('coppice doctor --repair');
    expect(readdirSync(cutShort)).toEqual(names);
    // Once it can be written again, it is finished.
    expect((await coppice(cutShort, ['sessions', 'list'])).stderr).toContain('is finished now');
  });
});
