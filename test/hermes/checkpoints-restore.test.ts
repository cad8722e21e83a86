import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { addV1Checkpoints, addV2Checkpoints, projectHash } from '../support/hermes-checkpoints.ts';
import { jsonOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';
import { treeState } from '../support/hermes-tree.ts';

type Layout = 'v1' | 'legacy' | 'v2';

let home: string;
let workdir: string;
beforeEach(() => {
  const root = tempDirInMemory();
  home = buildHermesHome(join(root, 'hermes'), {
    files: { 'config.yaml': 'checkpoints:\n  max_file_size_mb: 0.001\n' },
  });
  workdir = join(root, 'work');
});

interface Listed {
  readonly checkpoints: readonly { readonly id: string; readonly reason: string }[];
}

/** Two checkpoints: `work.txt` and what `arrange` made are in the first, and the second has other content. */
async function build(layout: Layout, arrange: () => void = () => undefined): Promise<string> {
  mkdirSync(workdir);
  arrange();
  const project = { workdir, reasons: ['first', 'second'], firstAt: HERMES_NOW - HERMES_DAY };
  const checkpoints = join(home, 'checkpoints');
  if (layout === 'v2') addV2Checkpoints(checkpoints, project);
  else addV1Checkpoints(checkpoints, project);
  if (layout === 'legacy') {
    mkdirSync(join(checkpoints, 'legacy-20260506-120000'));
    const hash = projectHash(workdir);
    renameSync(join(checkpoints, hash), join(checkpoints, 'legacy-20260506-120000', hash));
  }
  const { checkpoints: found } = await jsonOn<Listed>(home, ['checkpoints', 'list', '--all']);
  return found.find(({ reason }) => reason === 'first')?.id ?? '';
}

/** Everything in the home that is Hermes'. */
function hermesState(): string[] {
  return treeState(home).filter((line) => !line.startsWith(' ') && !line.startsWith('.coppice'));
}

const read = (name: string) => readFileSync(join(workdir, name), 'utf8');
const write = (name: string, content: string) => writeFileSync(join(workdir, name), content);

describe.each(['v1', 'legacy', 'v2'] as const)('a checkpoint of Hermes in layout %s', (layout) => {
  it('is compared with what is there now, with another, and by path, and leaves no trace', async () => {
    const id = await build(layout);
    write('new.txt', 'new\n');
    const before = treeState(home);
    const files = async (...args: string[]) =>
      (await jsonOn<{ files: readonly { path: string; kind: string }[] }>(home, ['checkpoints', 'diff', ...args])).files
        .map(({ path, kind }) => `${kind} ${path}`)
        .toSorted();
    expect(await files(id)).toEqual(['added new.txt', 'changed work.txt']);
    expect(await files(id, '--', 'new.txt')).toEqual(['added new.txt']);
    const { checkpoints } = await jsonOn<Listed>(home, ['checkpoints', 'list', '--all']);
    expect(await files(id, checkpoints[0]?.id ?? '')).toEqual(['changed work.txt']);
    expect((await runOn(home, ['checkpoints', 'diff', id.slice(0, 10)])).out).toContain('-first 0\n+second 1\n');
    expect((await runOn(home, ['checkpoints', 'restore', id, '--dry-run'])).out).toContain('rewrite work.txt');
    expect(treeState(home)).toEqual(before);
  });

  it('has files with the line endings that git stores, shows them as changed, and an undo brings the others back', async () => {
    const windows = 'one\r\ntwo\r\n';
    const id = await build(layout, () => {
      write('.gitattributes', '*.bat text eol=crlf\n');
      write('run.bat', windows);
    });
    const { files } = await jsonOn<{ files: readonly { path: string }[] }>(home, ['checkpoints', 'diff', id]);
    expect(files.map(({ path }) => path).toSorted()).toEqual(['run.bat', 'work.txt']);
    expect((await runOn(home, ['checkpoints', 'restore', id, '--yes'])).code).toBe(0);
    expect(read('run.bat')).toBe('one\ntwo\n');
    expect(read('work.txt')).toBe('first 0\n');
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(read('run.bat')).toBe(windows);
    expect(read('work.txt')).toBe('second 1\n');
  });

  it('is gone back to and undone, exactly, and nothing of Hermes changes', async () => {
    const id = await build(layout, () => {
      mkdirSync(join(workdir, 'src'));
      write('src/kept.txt', 'kept\r\n');
      symlinkSync('kept.txt', join(workdir, 'src/link'));
    });
    rmSync(join(workdir, 'src'), { recursive: true });
    write('new.txt', 'new\n');
    const [before, hermes] = [treeContent(), hermesState()];
    const { code, out } = await runOn(home, ['checkpoints', 'restore', id, '--yes']);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('coppice undo') as string });
    expect(read('work.txt')).toBe('first 0\n');
    expect(read('src/link')).toBe('kept\r\n');
    expect(existsSync(join(workdir, 'new.txt'))).toBe(false);
    expect(hermesState()).toEqual(hermes);
    // Whatever Hermes prunes meanwhile, the way back stays.
    rmSync(join(home, 'checkpoints'), { recursive: true });
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(treeContent()).toEqual(before);
  });
});

describe.each(['v1', 'v2'] as const)('a restore from layout %s', (layout) => {
  it('leaves alone what Hermes never saves: its own rules, large files, and repositories inside', async () => {
    const id = await build(layout, () => {
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: join(workdir, 'inner [x]'), stdio: 'ignore' });
      mkdirSync(join(workdir, 'inner [x]'));
      git('init', '-q');
      write('inner [x]/file.txt', 'inner\n');
      git('add', '-A');
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'inner');
    });
    const repository = layout === 'v2' ? 'store' : projectHash(workdir);
    appendFileSync(join(home, 'checkpoints', repository, 'info/exclude'), '*.log\n');
    write('trace.log', 'log\n');
    write('large.bin', 'x'.repeat(4000));
    write('inner [x]/file.txt', 'changed\n');
    expect((await runOn(home, ['checkpoints', 'restore', id, '--yes'])).code).toBe(0);
    expect(read('work.txt')).toBe('first 0\n');
    expect([read('trace.log'), read('large.bin').length, read('inner [x]/file.txt')]).toEqual([
      'log\n',
      4000,
      'changed\n',
    ]);
  });

  it('of a repository with orders in its settings follows none of them', async () => {
    const id = await build(layout, () => write('.gitattributes', '* filter=evil diff=evil\n'));
    const trap = join(home, 'trap');
    const repository = layout === 'v2' ? 'store' : projectHash(workdir);
    const gitDir = join(home, 'checkpoints', repository);
    const order = `touch ${trap}`;
    appendFileSync(
      join(gitDir, 'config'),
      `[filter "evil"]\n\tclean = ${order}\n\tsmudge = ${order}\n[diff "evil"]\n\tcommand = ${order}\n\ttextconv = ${order}\n[core]\n\tfsmonitor = ${order}\n\tpager = ${order}\n`,
    );
    mkdirSync(join(gitDir, 'hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'reference-transaction']) {
      writeFileSync(join(gitDir, 'hooks', hook), `#!/bin/sh\n${order}\n`, { mode: 0o755 });
    }
    for (const args of [['diff', id], ['diff', id, '--stat'], ['show', id], ['restore', id, '--yes'], ['status']]) {
      expect((await runOn(home, ['checkpoints', ...args])).code).toBe(0);
    }
    expect(existsSync(trap)).toBe(false);
    expect(read('work.txt')).toBe('first 0\n');
  });

  it('goes on after it was stopped half-way, and says what it leaves alone', async () => {
    const id = await build(layout);
    rmSync(join(workdir, 'work.txt'));
    mkdirSync(join(workdir, 'work.txt'));
    write('work.txt/other', 'x'.repeat(4000));
    const { code, err } = await runOn(home, ['checkpoints', 'restore', id, '--yes']);
    expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining('Left alone: work.txt') as string });
    rmSync(join(workdir, 'work.txt'), { recursive: true });
    expect((await runOn(home, ['checkpoints', 'restore', id, '--yes'])).code).toBe(0);
    expect(read('work.txt')).toBe('first 0\n');
  });
});

function treeContent(): string[] {
  const names = readdirSync(workdir, { recursive: true, encoding: 'utf8' }).toSorted();
  return treeState(workdir)
    .slice(1)
    .map((line, index) => `${names[index]} ${line.split(' ').at(-1)}`);
}

describe('a checkpoint of Hermes', () => {
  it('whose folder is not known is refused, with the reason', async () => {
    const id = await build('v2');
    writeFileSync(join(home, 'checkpoints/store/projects', `${projectHash(workdir)}.json`), '[]');
    for (const args of [
      ['diff', id],
      ['restore', id, '--yes'],
    ]) {
      const { code, err } = await runOn(home, ['checkpoints', ...args]);
      expect({ code, err }).toMatchObject({ code: 5, err: expect.stringContaining('is not known') as string });
    }
  });

  it('of a folder that holds the home is refused', async () => {
    workdir = join(home, '..');
    const project = { workdir, reasons: ['first'], firstAt: HERMES_NOW - HERMES_DAY };
    addV2Checkpoints(join(home, 'checkpoints'), project);
    const { checkpoints } = await jsonOn<Listed>(home, ['checkpoints', 'list', '--all']);
    const { code, err } = await runOn(home, ['checkpoints', 'restore', checkpoints[0]?.id ?? '', '--yes']);
    expect({ code, err }).toMatchObject({ code: 5, err: expect.stringContaining('holds the home') as string });
  });

  it('that has lost content is refused before anything changes', async () => {
    const id = await build('v2');
    const blob = execFileSync('git', ['--git-dir', join(home, 'checkpoints/store'), 'rev-parse', `${id}:work.txt`], {
      encoding: 'utf8',
    }).trim();
    rmSync(join(home, 'checkpoints/store/objects', blob.slice(0, 2), blob.slice(2)));
    const { code, err } = await runOn(home, ['checkpoints', 'restore', id, '--yes']);
    expect({ code, err }).toMatchObject({ code: 12, err: expect.stringContaining('cannot be read in full') as string });
    expect(read('work.txt')).toBe('second 1\n');
  });
});
