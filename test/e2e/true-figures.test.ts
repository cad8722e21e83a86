import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HomeStatus } from '../../src/app/home-status.ts';
import { takeV2 } from '../support/hermes-checkpoints.ts';
import { standardHermesHome } from '../support/hermes-standard-home.ts';
import { makeExampleHome } from './example-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();

/** What the system says that a folder takes. */
function du(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t', 1)[0]);
}

function expectTrue(status: HomeStatus, folder: string): void {
  const onDisk = du(folder);
  expect(Math.abs(status.disk.usedBytes - onDisk) / onDisk).toBeLessThan(0.02);
  const rows = [...status.classes, ...status.rest];
  expect(rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(status.disk.usedBytes);
}

async function run(home: string, ...args: readonly string[]): Promise<string> {
  const done = await coppice(home, args);
  expect({ ...done, line: args.join(' ') }).toMatchObject({ code: 0 });
  return done.stdout;
}

function aProject(name: string): string {
  const project = join(root, name);
  mkdirSync(project);
  for (let file = 0; file < 20; file += 1)
    writeFileSync(join(project, `${file}.txt`), `${name} ${file}\n`.repeat(2000));
  return project;
}

describe.skipIf(process.platform === 'win32')('the figures of coppice status', () => {
  it('are those of the disk, in a native home with something of everything', async () => {
    const home = join(root, 'native');
    await makeExampleHome(home);
    expectTrue(await coppiceJson(home, ['status']), home);
    const project = aProject('project');
    await run(home, 'checkpoints', 'take', project);
    writeFileSync(join(project, '1.txt'), 'changed\n');
    await run(home, 'checkpoints', 'take', project);
    await run(home, 'sessions', 'delete', 'alpha-disk', '--yes');
    await run(home, 'sessions', 'archive', '--older-than', '15d', '--yes');
    await run(home, 'checkpoints', 'prune', '--set', 'checkpoints.max_snapshots=1', '--yes');
    await run(home, 'plan');
    await run(home, 'token', 'create', 'ci', '--scope', 'read');
    mkdirSync(join(home, 'sessions', 'ab', 'nobody'), { recursive: true });
    writeFileSync(join(home, 'sessions', 'ab', 'nobody', 'transcript.jsonl'), '{}\n'.repeat(3000));
    writeFileSync(join(home, 'notes.txt'), 'a file of somebody else\n'.repeat(5000));
    const status = await coppiceJson<HomeStatus>(home, ['status']);
    expectTrue(status, home);
    for (const name of ['sessions', 'strays', 'trash', 'archives', 'checkpoints'])
      expect(status.classes.find((one) => one.name === name)?.sizeBytes, name).toBeGreaterThan(0);
    for (const name of ['index', 'reserve', 'plans', 'audit', 'caches', 'other'])
      expect(status.rest.find((one) => one.name === name)?.sizeBytes, name).toBeGreaterThan(0);
    const { stdout } = await coppice(home, ['status']);
    expect(stdout).toMatch(/^Reserve for a full disk .* MB$/m);
  });

  it('are those of the disk, in a Hermes home and with what Coppice keeps about it', async () => {
    const home = join(root, 'hermes');
    standardHermesHome(home);
    takeV2(join(home, 'checkpoints'), { workdir: aProject('theirs'), reason: 'one', at: Date.now() });
    expectTrue(await coppiceJson(home, ['status']), home);
    await run(home, 'sessions', 'delete', 'plain', '--yes');
    const status = await coppiceJson<HomeStatus>(home, ['status']);
    expectTrue(status, home);
    for (const name of ['trash', 'checkpoints'])
      expect(status.classes.find((one) => one.name === name)?.sizeBytes, name).toBeGreaterThan(0);
    for (const name of ['index', 'reserve'])
      expect(status.rest.find((one) => one.name === name)?.sizeBytes, name).toBeGreaterThan(0);
    const sorts = status.files?.filter(({ name }) => name !== 'profile') ?? [];
    expect(sorts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(status.disk.usedBytes);
  });
});
