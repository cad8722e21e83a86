import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { tempDir } from '../support/temp-dir.ts';

const AGENT = 'echo changed > notes.txt; echo more > new.txt';

function scene(): { readonly path: string; readonly workdir: string } {
  const directory = tempDir();
  const workdir = join(directory, 'project');
  mkdirSync(workdir);
  writeFileSync(join(workdir, 'notes.txt'), 'as it was\n');
  return { path: join(directory, 'home'), workdir };
}

function open(path: string, settings: Record<string, string>): Promise<Home> {
  return openHome({ path, env: {}, settings: Object.entries(settings).map(([key, value]) => ({ key, value })) });
}

const run = (home: Home, cwd: string, over: { checkpoints?: boolean; script?: string } = {}) => {
  const { script = AGENT, ...rest } = over;
  return home.gateway.run({ command: 'sh', args: ['-c', script], cwd, ...rest });
};

describe('a run with checkpoints', () => {
  it('saves the folder before the first change of the agent and at its end, bound to the session', async () => {
    const { path, workdir } = scene();
    await using home = await open(path, { 'checkpoints.enabled': 'true' });
    const { session, checkpoints } = await run(home, workdir);
    const [after, before] = await home.checkpoints.list({ workdir });
    expect(checkpoints).toMatchObject({ before: { id: before?.id }, after: { id: after?.id }, problems: [] });
    expect([before?.sessionId, after?.sessionId]).toEqual([session.id, session.id]);
    await home.checkpoints.restore(before?.id ?? '');
    expect(readFileSync(join(workdir, 'notes.txt'), 'utf8')).toBe('as it was\n');
    await home.checkpoints.restore(after?.id ?? '');
    expect(readFileSync(join(workdir, 'new.txt'), 'utf8')).toBe('more\n');
  });

  it('saves nothing unless it was asked to, by the configuration or for this run', async () => {
    const { path, workdir } = scene();
    await using off = await open(path, {});
    expect(await run(off, workdir)).not.toHaveProperty('checkpoints');
    expect(await off.checkpoints.list()).toEqual([]);
    await using on = await open(path, { 'checkpoints.enabled': 'true' });
    expect(await run(on, workdir, { checkpoints: false })).not.toHaveProperty('checkpoints');
    expect(await on.checkpoints.list()).toEqual([]);
    expect(await run(off, workdir, { checkpoints: true })).toMatchObject({ checkpoints: { problems: [] } });
    expect(await on.checkpoints.list()).not.toEqual([]);
  });

  it('keeps to the settings: what is excluded or too large is left out', async () => {
    const { path, workdir } = scene();
    const settings = { 'checkpoints.max_file_size_mb': '1', 'checkpoints.exclude': '["secret"]' };
    await using home = await open(path, { 'checkpoints.enabled': 'true', ...settings });
    const script = `head -c 1500000 /dev/zero > large; mkdir secret; echo x > secret/key; ${AGENT}`;
    const { checkpoints } = await run(home, workdir, { script });
    const { files } = await home.checkpoints.diff(checkpoints?.before?.id ?? '', { to: checkpoints?.after?.id ?? '' });
    expect(files.map(({ path: name }) => name.toString()).toSorted()).toEqual(['new.txt', 'notes.txt']);
  });

  it('is done by a job with a folder of its own, and not by one without', async () => {
    const { path, workdir } = scene();
    await using home = await open(path, { 'checkpoints.enabled': 'true', 'checkpoints.exclude': '["new.txt"]' });
    const scheduler = await home.scheduler();
    const job = { schedule: '0 7 * * *', command: ['sh', '-c', AGENT] };
    await scheduler.add('with', { ...job, workdir });
    await scheduler.add('without', { ...job, command: ['true'] });
    const { sessionId } = await scheduler.run('with');
    await scheduler.run('without');
    const taken = await home.checkpoints.list();
    expect(taken.map((checkpoint) => [checkpoint.workdir, checkpoint.sessionId])).toEqual([
      [workdir, sessionId],
      [workdir, sessionId],
    ]);
    const [after, before] = taken.map(({ id }) => id);
    const { files } = await home.checkpoints.diff(before ?? '', { to: after ?? '' });
    expect(files.map(({ path: name }) => name.toString())).toEqual(['notes.txt']);
  });

  it('runs the agent all the same where the folder may not be saved, and says so', async () => {
    const { path, workdir } = scene();
    await using home = await open(path, { 'checkpoints.enabled': 'true', 'checkpoints.max_files': '1' });
    writeFileSync(join(workdir, 'second.txt'), '');
    const { exitStatus, checkpoints } = await run(home, workdir);
    expect(exitStatus).toBe(0);
    expect(checkpoints).toEqual({ problems: [expect.stringContaining('files'), expect.stringContaining('files')] });
  });

  it('says at the end of a job that its folder could not be saved', async () => {
    const { path, workdir } = scene();
    await using home = await open(path, { 'checkpoints.enabled': 'true', 'checkpoints.max_files': '1' });
    writeFileSync(join(workdir, 'second.txt'), '');
    const scheduler = await home.scheduler();
    await scheduler.add('edit', { schedule: '0 7 * * *', command: ['sh', '-c', AGENT], workdir });
    const { outcome, why } = await scheduler.run('edit');
    expect(outcome).toBe('done');
    expect(why?.match(/files/g)).toHaveLength(1);
  });

  it('runs the agent all the same where the store is damaged, and says so', async () => {
    const { path, workdir } = scene();
    await using home = await open(path, { 'checkpoints.enabled': 'true' });
    writeFileSync(join(path, 'checkpoints'), 'in the way');
    const { exitStatus, checkpoints } = await run(home, workdir);
    expect(exitStatus).toBe(0);
    expect(checkpoints?.problems).toHaveLength(2);
  });

  it('tells the person how to go back, once a file has changed', async () => {
    const { path, workdir } = scene();
    const { stderr, code } = await coppice(path, ['run', '--checkpoints', '--', 'sh', '-c', AGENT], { cwd: workdir });
    expect(code).toBe(0);
    const [, id = ''] = /Take the files back to before this run: coppice checkpoints restore (\w+)/.exec(stderr) ?? [];
    expect((await coppice(path, ['checkpoints', 'restore', id, '--yes'], { cwd: workdir })).code).toBe(0);
    expect(readFileSync(join(workdir, 'notes.txt'), 'utf8')).toBe('as it was\n');
    const again = await coppice(path, ['run', '--checkpoints', '--', 'true'], { cwd: workdir });
    expect(again.stderr).toMatch(/No file changed since checkpoint \w+\./);
  });
});
