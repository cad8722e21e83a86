import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findProcess } from '../machine/find-process.ts';
import { GitError, runGit, startGit } from './run-git.ts';

function repository(): string {
  const dir = tempDir();
  execFileSync('git', ['init', '-q', '--bare'], { cwd: dir });
  return dir;
}

describe('runGit', () => {
  it('gives output as bytes, and input as it is', async () => {
    const place = { gitDir: repository() };
    const input = Buffer.from([0, 255, 13, 10]);
    const { stdout } = await runGit(place, ['hash-object', '-w', '--stdin'], { input });
    const back = await runGit(place, ['cat-file', 'blob', stdout.toString().trim()]);
    expect(back.stdout).toEqual(input);
  });

  it('fails with what git said, unless the code is an answer', async () => {
    const place = { gitDir: repository() };
    const args = ['cat-file', '-e', 'none'];
    await expect(runGit(place, args)).rejects.toThrow(GitError);
    expect((await runGit(place, args, { okCodes: [128] })).stderr).toContain('none');
  });

  it('closes standard input, so that nothing waits for an answer', async () => {
    const { stdout } = await runGit({ gitDir: repository() }, ['cat-file', '--batch']);
    expect(stdout).toHaveLength(0);
  });

  it('settles only when the process has ended, also when it is stopped', async () => {
    const place = { gitDir: repository() };
    const stop = new AbortController();
    const args = ['update-index', '-z', '--stdin'];
    const child = startGit(place, args, { signal: stop.signal });
    child.on('error', () => undefined);
    const ended = new Promise((resolve) => void child.once('close', resolve));
    stop.abort();
    await ended;
    expect(findProcess(child.pid ?? 0)).toBeUndefined();
    await expect(runGit(place, args, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
  });

  it('ends a command when its reader has enough', async () => {
    const place = { gitDir: repository() };
    await runGit(place, ['hash-object', '-w', '--stdin'], { input: 'x' });
    await expect(runGit(place, ['rev-parse', '--git-dir'], { goOn: () => false })).rejects.toThrow(GitError);
  });

  it('tells a missing directory from a missing git', async () => {
    const gitDir = repository();
    await expect(runGit({ gitDir, workTree: join(gitDir, 'none') }, ['ls-files'])).rejects.toMatchObject({
      code: 'not-found',
    });
    const path = process.env['PATH'];
    try {
      process.env['PATH'] = gitDir;
      for (const command of ['ls-files', 'update-index'])
        await expect(runGit({ gitDir }, [command])).rejects.toThrow('git is not installed');
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('sees nothing of the configuration and the environment of the user', async () => {
    const gitDir = repository();
    const home = join(gitDir, 'user');
    mkdirSync(home);
    writeFileSync(join(home, '.gitconfig'), '[alias]\n\tversion = !false\n[core]\n\tautocrlf = true\n');
    chmodSync(home, 0o755);
    const before = { ...process.env };
    Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: home, GIT_OBJECT_DIRECTORY: '/nowhere', GIT_TRACE: '1' });
    try {
      const { stdout, stderr } = await runGit({ gitDir }, ['config', '--show-origin', '--list']);
      expect(stdout.toString()).not.toContain(home);
      expect(stderr).toBe('');
    } finally {
      for (const name of ['GIT_OBJECT_DIRECTORY', 'GIT_TRACE', 'XDG_CONFIG_HOME']) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});
