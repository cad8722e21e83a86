import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { killingGit } from '../support/killing-git.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();

interface Listed {
  readonly checkpoints: readonly { readonly id: string }[];
}

/** A home with two checkpoints of a folder, newest first. */
async function scene(name: string) {
  const [home, project] = [join(root, name), join(root, `${name}-project`)];
  mkdirSync(project);
  for (const content of ['one', 'two']) {
    writeFileSync(join(project, 'file'), content);
    await coppice(home, ['checkpoints', 'take', project]);
  }
  const listed = async () => (await coppiceJson<Listed>(home, ['checkpoints', 'list', '--all'])).checkpoints;
  const [newest, oldest] = (await listed()).map(({ id }) => id);
  if (newest === undefined || oldest === undefined) throw new Error('there are no two checkpoints');
  return { home, project, newest, oldest, listed };
}

describe('what a person finds after a death', () => {
  it.skipIf(!STRACE_WORKS)(
    'of a restore and its git: a home in which everything works, and nothing else',
    async () => {
      const { home, project, oldest, newest } = await scene('killed');
      const bin = killingGit(join(root, 'bin'), { command: 'update-ref', call: 'rename', when: 2, who: 'both' });
      const killed = await coppice(home, ['checkpoints', 'restore', oldest, '--yes'], {
        env: { PATH: `${bin}:${process.env['PATH']}` },
      });
      expect(killed.code).toBe(null);
      for (const args of [
        ['maintain'],
        ['checkpoints', 'prune', '--max-snapshots', '1', '--yes'],
        ['checkpoints', 'restore', newest, '--yes'],
        ['doctor'],
      ]) {
        expect(await coppice(home, args), args.join(' ')).toMatchObject({ code: 0 });
      }
      expect(unknownFiles(home)).toEqual([]);
      expect(readdirSync(project)).toEqual(['file']);
    },
    300_000,
  );

  it('of a prune: a checkpoint that no run knows is told by doctor, and listed again by a repair', async () => {
    const { home, oldest, listed } = await scene('stray');
    const env = { ...process.env, GIT_DIR: join(home, 'checkpoints', 'store') };
    const git = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8' }).trim();
    const ref = git('for-each-ref', '--format=%(refname)', '--points-at', oldest, 'refs/coppice/snapshots');
    git('update-ref', 'refs/coppice/trash/nobody/1', oldest);
    git('update-ref', '-d', ref);
    expect(await listed()).toHaveLength(1);
    const told = await coppice(home, ['doctor']);
    expect(told).toMatchObject({ code: 12, stdout: expect.stringContaining('no run knows of it') });
    expect(await coppice(home, ['doctor', '--repair'])).toMatchObject({ code: 0 });
    expect((await listed()).map(({ id }) => id)).toContain(oldest);
    expect(git('for-each-ref', 'refs/coppice/trash')).toBe('');
  }, 300_000);
});
