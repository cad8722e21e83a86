import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CheckpointStatus } from '../../src/app/checkpoints/checkpoint-status.ts';
import { coppice, coppiceJson, sandbox } from '../e2e/run-coppice.ts';

const dir = sandbox();
const home = join(dir, 'home');

async function takeAll(project: string, contents: readonly string[]): Promise<void> {
  const workdir = join(dir, project);
  mkdirSync(workdir, { recursive: true });
  for (const content of contents) {
    writeFileSync(join(workdir, 'file'), content);
    expect(await coppice(home, ['checkpoints', 'take', workdir])).toMatchObject({ code: 0, stderr: '' });
  }
}

const status = () => coppiceJson<CheckpointStatus>(home, ['checkpoints', 'status']);

describe('coppice checkpoints', () => {
  beforeAll(async () => {
    const empty = await coppice(home, ['checkpoints', 'status']);
    expect(empty).toMatchObject({ code: 0, stderr: '' });
    expect(empty.stdout).toContain('There are no checkpoints yet.');
    await takeAll('p', ['1', '2', '3']);
    await takeAll('q', ['1']);
  }, 60_000);

  it('says what there is, in words and for programs', async () => {
    const { stdout, code } = await coppice(home, ['checkpoints', 'status']);
    expect(code).toBe(0);
    expect(stdout).toContain('4 checkpoints of 2 folders');
    expect(stdout).toContain('No problems.');
    const { projects, checkpoints } = await status();
    expect(checkpoints).toBe(4);
    expect(projects.map(({ place }) => place)).toEqual(['present', 'present']);
    expect((await coppice(home, ['status'])).stdout).toContain('Checkpoints');
  });

  it('prunes to a number, shows it first, and can undo it', async () => {
    const dry = await coppice(home, ['checkpoints', 'prune', '--max-snapshots', '1', '--dry-run']);
    expect(dry.stdout).toContain('more checkpoints than allowed');
    expect(dry.stdout).toContain('coppice apply');
    expect((await status()).checkpoints).toBe(4);
    const unasked = await coppice(home, ['checkpoints', 'prune', '--max-snapshots', '1']);
    expect(unasked.code).toBe(5);
    const done = await coppice(home, ['checkpoints', 'prune', '--max-snapshots', '1', '--yes']);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('2 checkpoints');
    expect((await status()).checkpoints).toBe(2);
    expect((await coppice(home, ['undo', '--yes'])).stdout).toContain('2 checkpoints');
    expect((await status()).checkpoints).toBe(4);
  });

  it('keeps those of a folder that is gone when told to', async () => {
    rmSync(join(dir, 'q'), { recursive: true });
    const keep = await coppice(home, ['checkpoints', 'prune', '--keep-orphans', '--dry-run']);
    expect(keep.stdout).toContain('Nothing would go.');
    // Within an hour of the last checkpoint the folder may be on its way elsewhere.
    const young = await coppice(home, ['checkpoints', 'prune', '--dry-run']);
    expect(young.stdout).toContain('Nothing would go.');
    expect((await coppice(home, ['checkpoints', 'status'])).stdout).toContain('gone');
  });

  it('says why nothing went, what to do, and which limit is out of reach', async () => {
    const young = await coppice(home, ['checkpoints', 'prune', '--yes']);
    expect(young).toMatchObject({ code: 0, stderr: '' });
    expect(young.stdout).toMatch(/^Nothing was removed\.\n4 checkpoints stay: .*too young \(1\)/);
    expect(young.stdout).toContain('for an hour after the last one');
    const small = join(dir, 'small-home');
    mkdirSync(join(dir, 'big'));
    writeFileSync(join(dir, 'big', 'file'), randomBytes(2 * 1024 * 1024));
    await coppice(small, ['checkpoints', 'take', join(dir, 'big')]);
    const held = await coppice(small, ['checkpoints', 'prune', '--max-size-mb', '1', '--yes']);
    expect(held.code).toBe(4);
    expect(held.stdout).toMatch(/Nothing was removed\.\n1 checkpoint stays: .*\n.* stays out of reach/);
    renameSync(join(dir, 'p'), join(dir, 'p-away'));
    renameSync(dir, `${dir}-away`);
    try {
      const away = await coppice(join(`${dir}-away`, 'home'), ['checkpoints', 'clear', '--yes']);
      expect(away.stdout).toContain('its folder cannot be reached now (4)');
      expect(away.stdout).toContain('connect it');
    } finally {
      renameSync(`${dir}-away`, dir);
      renameSync(join(dir, 'p-away'), join(dir, 'p'));
    }
  });

  it('clears only after a yes, and only what is not pinned', async () => {
    const { checkpoints } = await coppiceJson<{ checkpoints: { id: string }[] }>(home, [
      'checkpoints',
      'list',
      '--all',
    ]);
    const [{ id } = { id: '' }] = checkpoints;
    await coppice(home, ['checkpoints', 'pin', id]);
    expect((await coppice(home, ['checkpoints', 'clear'])).code).toBe(5);
    const cleared = await coppice(home, ['checkpoints', 'clear', '--yes']);
    expect(cleared.code).toBe(0);
    expect(cleared.stdout).toContain('1 checkpoint stays: pinned (1).');
    expect((await status()).checkpoints).toBe(1);
    await coppice(home, ['undo', '--yes']);
    expect((await status()).checkpoints).toBe(4);
    expect((await coppice(home, ['checkpoints', 'clear-legacy', '--yes'])).stdout).toContain('Nothing was removed.');
  });

  it('finds damage, names it, and says so by its exit code', async () => {
    const well = await coppice(home, ['checkpoints', 'verify']);
    expect(well).toMatchObject({ code: 0, stderr: '' });
    expect(well.stdout).toContain('4 checkpoints: all complete');
    const objects = join(home, 'checkpoints', 'store', 'objects');
    for (const name of readdirSync(objects))
      if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true });
    const { code, stdout } = await coppice(home, ['checkpoints', 'verify']);
    expect(code).toBe(12);
    expect(stdout).toContain('cannot be read');
    expect((await coppice(home, ['checkpoints', 'status'])).stdout).toContain('Problem:');
  });
});
