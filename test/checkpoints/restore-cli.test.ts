import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { main } from '../../src/cli/main.ts';
import { type CaptureOptions, captureIo } from '../capture-io.ts';
import { collect, user } from '../support/collect.ts';
import { listTree } from '../support/hostile-trees.ts';
import { tempDir } from '../support/temp-dir.ts';

/** When a reserve is laid in is told to whoever happens to be the one who does it. */
const NO_RESERVE = { COPPICE_DISK__BALLAST_MB: 'never' };

describe('coppice checkpoints diff and restore', () => {
  let path: string;
  let workdir: string;
  let id: string;

  beforeEach(async () => {
    const root = tempDir();
    [path, workdir] = [join(root, 'home'), join(root, 'work')];
    mkdirSync(workdir);
    put('a', 'one\n');
    put('b', 'one\n');
    await using home = await openHome({ path, env: NO_RESERVE });
    await home.sessions.create({ id: 's', source: 'cli' });
    const session = await home.sessions.open('s');
    await session.appendAll(['first', 'second'].map(user));
    const taken = await home.checkpoints.take({ workdir, sessionId: 's', turn: 1 });
    if (taken.status === 'refused') throw new Error(taken.message);
    id = taken.checkpoint.id.slice(0, 8);
    await session.appendAll(['third', 'fourth'].map(user));
    put('a', 'two\u001b[31m\r\n');
    put('new', 'two\n');
    rmSync(join(workdir, 'b'));
  });

  const put = (name: string, content: string) => writeFileSync(join(workdir, name), content);
  const files = () => listTree(workdir);

  async function coppice(words: readonly string[], options: CaptureOptions = {}) {
    const { io, out, err } = captureIo({
      env: { COPPICE_HOME: path, ...NO_RESERVE },
      cwd: workdir,
      now: Date.now,
      ...options,
    });
    return { exitCode: await main(words, io), out: out(), err: err() };
  }

  it('shows what changed, with nothing a terminal would obey', async () => {
    const { out, exitCode } = await coppice(['checkpoints', 'diff', id, '--', 'a'], { columns: 100 });
    expect(exitCode).toBe(0);
    expect(out).toContain('-one\n+two␛[31m␍\n');
    expect(out).not.toContain('new');
  });

  it('names the files, and says when nothing differs', async () => {
    const { out } = await coppice(['checkpoints', 'diff', id, '--stat']);
    expect(out).toBe(
      'CHANGE   LINES  FILE\nchanged  +1 -1  a\nremoved  +0 -1  b\nadded    +1 -0  new\n3 files, 2 lines added, 2 removed\n',
    );
    expect((await coppice(['checkpoints', 'diff', id, id])).out).toBe('Nothing differs.\n');
    const { out: json } = await coppice(['checkpoints', 'diff', id, '--json']);
    expect(JSON.parse(json)).toMatchObject({ files: [{ path: 'a' }, { path: 'b' }, { path: 'new', kind: 'added' }] });
  });

  it('shows what a restore would do, and does nothing', async () => {
    const before = files();
    const { out, exitCode } = await coppice(['checkpoints', 'restore', id, '--dry-run']);
    expect(exitCode).toBe(0);
    expect(out.split('\n').slice(1)).toEqual(['  remove  new', '  rewrite a', '  create  b', '']);
    expect(files()).toEqual(before);
  });

  it('shows beforehand what becomes of the conversation, and that there is none', async () => {
    const shown = await coppice(['checkpoints', 'restore', id, '--with-session', '--dry-run']);
    expect(shown.out).toMatch(/\nThe conversation \S+ goes back to the same turn\.\n$/);
    const other = tempDir();
    writeFileSync(join(other, 'a'), 'one');
    await coppice(['checkpoints', 'take', other]);
    const { out } = await coppice(['checkpoints', 'list', other, '--json']);
    const [alone] = (JSON.parse(out) as { checkpoints: { id: string }[] }).checkpoints;
    const refused = await coppice(['checkpoints', 'restore', alone?.id ?? '', '--with-session', '--dry-run']);
    expect(refused).toMatchObject({ exitCode: 5, out: '' });
    expect(refused.err).toContain('does not say to which conversation it belongs');
  });

  it('asks first, and takes no for an answer', async () => {
    const before = files();
    const { out, err, exitCode } = await coppice(['checkpoints', 'restore', id], { columns: 80, answers: ['n'] });
    expect(exitCode).toBe(5);
    expect(out).toContain('rewrite a');
    expect(err).toContain('What is there now is saved first.');
    expect((await coppice(['checkpoints', 'restore', id])).err).toContain('add --yes');
    expect(files()).toEqual(before);
  });

  it('goes back, and undo goes forth again, the conversation too', async () => {
    const before = files();
    const restored = await coppice(['checkpoints', 'restore', id, '--with-session', '--yes']);
    expect(restored).toMatchObject({ exitCode: 0, err: '' });
    expect(restored.out).toMatch(
      /^Brought 3 files of .* back to .*\.\nThe conversation \S+ went back to the same turn\.\nUndo until .*: coppice undo \S+\n$/,
    );
    expect(files()).toEqual({ a: 'file one\n', b: 'file one\n' });
    expect(await said()).toEqual(['first', 'second']);
    expect((await coppice(['sessions', 'search', 'fourth'])).out).toContain('user message #4, taken back');
    expect((await coppice(['doctor'])).exitCode).toBe(0);
    const undone = await coppice(['undo', '--yes']);
    expect(undone).toMatchObject({ exitCode: 0, err: '' });
    expect(files()).toEqual(before);
    expect(await said()).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('stops when told to, and says how to go on', async () => {
    const before = files();
    const { exitCode, err } = await coppice(['checkpoints', 'restore', id, '--yes'], { signal: AbortSignal.abort() });
    expect(exitCode).toBe(130);
    expect(err).toBe('Stopped after 0 files. Run the same command again to go on, or go back with: coppice undo\n');
    expect(files()).toEqual(before);
  });

  it('names what it left alone, and ends with 3', async () => {
    put('big', 'x');
    const { exitCode: taken } = await coppice(['checkpoints', 'take']);
    const { out: list } = await coppice(['checkpoints', 'list', '--json']);
    const [newest] = (JSON.parse(list) as { checkpoints: { id: string }[] }).checkpoints;
    put('big', 'y'.repeat(11 * 1024 * 1024));
    const { exitCode, out, err } = await coppice(['checkpoints', 'restore', newest?.id ?? '', '--yes']);
    expect({ taken, exitCode }).toEqual({ taken: 0, exitCode: 3 });
    expect(out).toContain('Brought 0 files');
    expect(err).toBe('Left alone: big. It holds something that no checkpoint has, so it stays as it is.\n');
    expect(readFileSync(join(workdir, 'big'), 'utf8')).toHaveLength(11 * 1024 * 1024);
  });

  async function said(): Promise<unknown[]> {
    await using home = await openHome({ path, env: {} });
    const session = await home.sessions.open('s');
    return (await collect(session.messages())).map(({ content }) => content);
  }
});
