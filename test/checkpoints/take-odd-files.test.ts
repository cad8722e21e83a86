import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointStore } from '../../src/checkpoints/store/open-store.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import { filesOnDisk, savedFiles, takenOf, testStore } from '../support/checkpoint-store.ts';
import { tempDir } from '../support/temp-dir.ts';

let workdir: string;
let store: CheckpointStore;

beforeEach(async () => {
  const dir = tempDir();
  workdir = join(dir, 'project');
  mkdirSync(workdir);
  store = await testStore(dir);
});

function at(path: string): string {
  mkdirSync(join(workdir, path, '..'), { recursive: true });
  return join(workdir, path);
}

function pipe(path: string): void {
  execFileSync('mkfifo', [at(path)]);
}

describe('a pipe where git looks for a file', () => {
  it('counts as empty and is named, and everything around it is saved', async () => {
    const deep = 'a/'.repeat(20);
    for (const path of ['f', `${deep}f`, 'inner/f', 'linked/f', 'odd/f', 'socket/f']) writeFileSync(at(path), path);
    for (const path of ['.gitignore', `${deep}.gitignore`, `${deep}.gitattributes`]) pipe(path);
    // Repositories inside the project: one whose HEAD is a pipe, one that is a pipe itself, and one that lies elsewhere.
    execFileSync('git', ['init', '-q', at('inner')]);
    execFileSync('rm', [at('inner/.git/HEAD')]);
    pipe('inner/.git/HEAD');
    pipe('odd/.git');
    execFileSync('git', ['init', '-q', '--bare', at('elsewhere')]);
    execFileSync('rm', [at('elsewhere/HEAD')]);
    pipe('elsewhere/HEAD');
    writeFileSync(at('linked/.git'), 'gitdir: ../elsewhere\n');
    symlinkSync('../f', at('socket/.gitattributes'));
    const server = createServer().listen(at('socket/.gitignore'));
    const first = await takeSnapshot(store, { workdir });
    expect(await savedFiles(store, takenOf(first).id)).toEqual(filesOnDisk(workdir));
    expect(namesOf(first)).toEqual(
      ['.gitignore', `${deep}.gitattributes`, `${deep}.gitignore`, 'elsewhere/HEAD', 'inner/.git/HEAD'].toSorted(),
    );
    // A file of which git must read the content to know whether it changed.
    writeFileSync(at(`${deep}f`), `${deep}F`);
    const second = await takeSnapshot(store, { workdir });
    expect(await savedFiles(store, takenOf(second).id)).toEqual(filesOnDisk(workdir));
    const third = await takeSnapshot(store, { workdir });
    expect([third.status, namesOf(third)]).toEqual(['unchanged', ['.gitignore', `${deep}.gitignore`]]);
    server.close();
  });

  it('is found where the repository of a folder lies outside the project', async () => {
    const outside = tempDir();
    for (const name of ['named', 'linked']) {
      execFileSync('git', ['init', '-q', '--bare', join(outside, name)]);
      execFileSync('rm', [join(outside, name, 'HEAD')]);
      execFileSync('mkfifo', [join(outside, name, 'HEAD')]);
      writeFileSync(at(`${name}/f`), name);
    }
    writeFileSync(at('named/.git'), `gitdir: ${join(outside, 'named')}\n`);
    symlinkSync(join(outside, 'linked'), at('linked/.git'));
    // One that is itself a pipe, and one without an end of its own.
    execFileSync('mkfifo', [join(outside, 'pipe')]);
    writeFileSync(at('odd/.git'), `gitdir: ${join(outside, 'pipe')}\n`);
    writeFileSync(at('self/.git'), 'gitdir: .git\n');
    const result = await takeSnapshot(store, { workdir });
    expect(await savedFiles(store, takenOf(result).id)).toEqual(filesOnDisk(workdir));
    expect(namesOf(result)).toEqual([join(outside, 'named/HEAD'), 'linked/.git/HEAD']);
  });

  it.for(['.gitattributes', 'inner/.git/HEAD'])('is refused when another program holds it open: %s', async (path) => {
    writeFileSync(at('inner/f'), '1');
    execFileSync('git', ['init', '-q', at('inner')]);
    execFileSync('rm', ['-f', at(path)]);
    pipe(path);
    const holder = openSync(at(path), 'r+');
    try {
      await expect(takeSnapshot(store, { workdir })).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining(`${path} is a pipe that another program holds open`),
      });
    } finally {
      closeSync(holder);
    }
    expect(takenOf(await takeSnapshot(store, { workdir })).fileCount).toBe(1);
  });

  it('is refused with its name when it is a device without an end', async ({ skip }) => {
    writeFileSync(at('f'), '1');
    // The one that gives random numbers.
    const made = spawnSync('mknod', [at('.gitattributes'), 'c', '1', '9']);
    skip(made.status !== 0, 'making devices is not allowed here');
    await expect(takeSnapshot(store, { workdir })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('.gitattributes is a device'),
    });
  });
});

function namesOf(result: Awaited<ReturnType<typeof takeSnapshot>>): string[] {
  return result.status === 'refused' ? [] : result.leftOut.map(({ path }) => path).toSorted();
}
