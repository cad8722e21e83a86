import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointStore } from '../../src/checkpoints/store/open-store.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import { filesOnDisk, savedFiles, takenOf } from '../support/checkpoint-store.ts';
import { runTakeWorker } from '../support/run-take-worker.ts';
import { expectSound, type TakeScene, takeExactly, takeScene } from '../support/take-scene.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

let dir: string;
let workdir: string;
let store: CheckpointStore;
let write: TakeScene['write'];

beforeEach(async () => {
  ({ dir, workdir, store, write } = await takeScene());
});

describe('content', () => {
  it('is saved byte for byte whatever the attributes of the project say', async () => {
    write(
      '.gitattributes',
      [
        '[attr]trap text eol=crlf ident filter=evil',
        '* trap',
        '*.u working-tree-encoding=UTF-16',
        '*.lf text eol=lf',
        '',
      ].join('\n'),
    );
    write('sub/.gitattributes', '* text=auto eol=lf diff=evil merge=evil\n');
    write('a.txt', 'one\r\ntwo\n$Id$\n$Id: abc $\r\n');
    write('b.u', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x0d, 0x00]));
    write('c.lf', 'a\r\nb\r\n');
    write('sub/d', 'a\r\n\0b\r\n');
    await takeExactly({ store, workdir });
  });

  it('does not depend on the git configuration of the user, and runs nothing of it', async () => {
    const home = join(dir, 'user');
    mkdirSync(join(home, 'hooks'), { recursive: true });
    const trap = join(home, 'trap');
    writeFileSync(trap, `#!/bin/sh\ntouch ${join(home, 'sprung')}\nexit 1\n`);
    chmodSync(trap, 0o755);
    for (const hook of [
      'pre-commit',
      'post-commit',
      'reference-transaction',
      'post-index-change',
      'fsmonitor-watchman',
    ])
      symlinkSync(trap, join(home, 'hooks', hook));
    const config = [
      `[core]\n\thooksPath = ${home}/hooks\n\tautocrlf = true\n\tsafecrlf = true\n\tfsmonitor = ${trap}\n\tattributesFile = ${home}/attributes`,
      `\texcludesFile = ${home}/ignore\n\tfileMode = false\n\tsymlinks = false\n\tbigFileThreshold = 1\n\teditor = ${trap}`,
      `[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${trap}\n[filter "evil"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\trequired = true`,
      `[safe]\n\tdirectory = /nowhere\n[user]\n\tuseConfigOnly = true\n[i18n]\n\tcommitEncoding = UTF-16\n[extensions]\n\tbad = 1`,
    ].join('\n');
    writeFileSync(join(home, '.gitconfig'), config);
    writeFileSync(join(home, 'attributes'), '* filter=evil text eol=crlf\n');
    writeFileSync(join(home, 'ignore'), '*\n');
    write('a.txt', 'one\r\ntwo\n');
    write('run', '#!/bin/sh\n');
    chmodSync(join(workdir, 'run'), 0o755);
    symlinkSync('a.txt', join(workdir, 'link'));
    const env = {
      HOME: home,
      XDG_CONFIG_HOME: home,
      GIT_DIR: join(dir, 'elsewhere'),
      GIT_INDEX_FILE: '/nowhere/index',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.autocrlf',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_OBJECT_DIRECTORY: '/nowhere',
      GIT_EXTERNAL_DIFF: trap,
    };
    const { results, stderr } = await runTakeWorker({ home: join(dir, 'home'), workdir, env });
    expect(stderr).toBe('');
    const [result] = results;
    expect(result?.status).toBe('taken');
    if (result?.status === 'taken') expect(await savedFiles(store, result.checkpoint.id)).toEqual(filesOnDisk(workdir));
    expect(existsSync(join(home, 'sprung'))).toBe(false);
  });
});

describe("the project's own repository", () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', workdir, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'pipe' });

  it('is not written, and what is in it does not matter', async () => {
    write('tracked', '1');
    write('staged', '1');
    git('init', '-q');
    git('add', 'tracked');
    git('commit', '-qm', 'x');
    git('add', 'staged');
    const before = filesOnDisk(join(workdir, '.git'));
    await takeExactly({ store, workdir });
    write('tracked', '2');
    await takeExactly({ store, workdir });
    expect(filesOnDisk(join(workdir, '.git'))).toEqual(before);
    rmSync(join(workdir, '.git', 'objects'), { recursive: true });
    write('tracked', '3');
    await takeExactly({ store, workdir });
    rmSync(join(workdir, '.git'), { recursive: true });
    write('.git', 'gitdir: /nowhere\n');
    write('tracked', '4');
    await takeExactly({ store, workdir });
    rmSync(join(workdir, '.git'));
    write('tracked', '5');
    await takeExactly({ store, workdir });
  });
});

describe('what cannot be read', () => {
  it.runIf(IS_ROOT || process.getuid !== undefined)('is reported and left out, and the rest is saved', async () => {
    const user = IS_ROOT ? { uid: NOBODY } : {};
    write('open', '1');
    write('closed', 'secret');
    write('folder/inside', '1');
    write('later', '1');
    const home = join(dir, 'home');
    if (IS_ROOT) for (const path of [dir, home, workdir, join(workdir, 'folder')]) chownSync(path, NOBODY, NOBODY);
    if (IS_ROOT) rmSync(join(home, 'checkpoints'), { recursive: true });
    chmodSync(join(workdir, 'closed'), 0);
    chmodSync(join(workdir, 'folder'), 0);
    const take = async () => {
      const { results, stderr } = await runTakeWorker({ home, workdir, ...user });
      expect(stderr).toBe('');
      const [result] = results;
      if (result === undefined || result.status === 'refused') throw new Error('no checkpoint');
      return { leftOut: result.leftOut, names: [...(await savedFiles(store, result.checkpoint.id)).keys()] };
    };
    expect(await take()).toEqual({
      leftOut: [
        { path: 'folder', why: 'unreadable' },
        { path: 'closed', why: 'unreadable' },
      ],
      names: ['later', 'open'],
    });
    // What was saved once and cannot be looked at now is not taken for removed.
    chmodSync(join(workdir, 'folder'), 0o700);
    expect((await take()).names).toEqual(['folder/inside', 'later', 'open']);
    chmodSync(join(workdir, 'folder'), 0);
    write('later', '2');
    expect((await take()).names).toEqual(['folder/inside', 'later', 'open']);
    chmodSync(join(workdir, 'folder'), 0o700);
  });
});

describe('size', () => {
  it(`saves ${TORTURE ? '200 000' : '20 000'} files, and says how far it is`, async () => {
    const count = TORTURE ? 200_000 : 20_000;
    for (let at = 0; at < count; at += 1) {
      if (at % 1000 === 0) mkdirSync(join(workdir, `d${at / 1000}`));
      writeFileSync(join(workdir, `d${Math.floor(at / 1000)}`, `f${at}`), `content ${at % 50}\n`);
    }
    const said: number[] = [];
    const onProgress = (done: number, total: number) => said.push(done / total);
    const { fileCount } = takenOf(await takeSnapshot(store, { workdir }, { onProgress }));
    expect(fileCount).toBe(count);
    expect(said).toEqual(said.toSorted((a, b) => a - b));
    expect([said.length > 10, said.at(-1)]).toEqual([true, 1]);
    expect((await takeSnapshot(store, { workdir })).status).toBe('unchanged');
    await expectSound(store);
  }, 1_800_000);

  it('saves files that grow and shrink meanwhile, or says that they were changing', async () => {
    for (let at = 0; at < 10; at += 1) write(`log-${at}`, Buffer.alloc(200_000, at));
    const writer = setInterval(() => {
      for (let at = 0; at < 10; at += 1) write(`log-${at}`, Buffer.alloc(Math.floor(Math.random() * 400_000), at));
    }, 1);
    try {
      for (let round = 0; round < 2; round += 1) {
        const result = await takeSnapshot(store, { workdir });
        expect(result.status).not.toBe('refused');
      }
    } finally {
      clearInterval(writer);
    }
    await expectSound(store);
    const last = await takeSnapshot(store, { workdir });
    if (last.status === 'refused') throw new Error(last.message);
    expect(await savedFiles(store, last.checkpoint.id)).toEqual(filesOnDisk(workdir));
  });
});
