import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takenOf, testStore } from '../../../test/support/checkpoint-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSharedLock } from '../../store/sqlite/sqlite-shared-lock.ts';
import { readSnapshots } from './read-snapshots.ts';
import { takeSnapshot } from '../take/take-snapshot.ts';
import { findLegacy } from './find-legacy.ts';
import { LEGACY } from './move-legacy.ts';
import { findStore } from './open-store.ts';

function git(cwd: string, ...args: string[]) {
  return spawnSync('git', args, { cwd, encoding: 'utf8' });
}

describe('openStore', () => {
  it('makes a repository that git accepts and that only its owner can read', async () => {
    const { layout } = await testStore(tempDir());
    expect(git(layout.gitDir, 'rev-parse', '--is-bare-repository').stdout.trim()).toBe('true');
    expect(git(layout.gitDir, 'fsck').status).toBe(0);
    expect(statSync(layout.gitDir).mode & 0o777).toBe(0o700);
  });

  it('makes a repository in which a stray gc or prune is refused', async () => {
    const { layout } = await testStore(tempDir());
    const { stdout } = git(layout.gitDir, 'hash-object', '-w', 'HEAD');
    expect(git(layout.gitDir, 'prune', '--expire=now').status).not.toBe(0);
    git(layout.gitDir, 'gc', '--prune=now', '--quiet');
    expect(git(layout.gitDir, 'cat-file', '-e', stdout.trim()).status).toBe(0);
  });

  it('puts back what git needs', async () => {
    const dir = tempDir();
    const { layout } = await testStore(dir);
    for (const name of ['refs', 'objects', 'HEAD', 'info', 'locks', 'indexes', 'projects'])
      rmSync(join(layout.gitDir, name), { recursive: true });
    writeFileSync(join(layout.root, 'stay'), '');
    const store = await testStore(dir);
    mkdirSync(join(dir, 'project'));
    takenOf(await takeSnapshot(store, { workdir: join(dir, 'project') }));
    expect(readdirSync(layout.root).toSorted()).toEqual(['lock.db', 'lock.db-gate', 'stay', 'store']);
  });

  it('is opened once by many at the same time', async () => {
    const dir = tempDir();
    const stores = await Promise.all(Array.from({ length: 8 }, () => testStore(dir)));
    expect(new Set(stores.map(({ layout }) => layout.gitDir)).size).toBe(1);
    expect(readdirSync(stores[0]?.layout.root ?? '').toSorted()).toEqual(['lock.db', 'lock.db-gate', 'store']);
  });

  it('knows its store without the configuration, and removes what a crash left of another', async () => {
    const dir = tempDir();
    const { layout } = await testStore(dir);
    rmSync(join(layout.gitDir, 'config'));
    await testStore(dir);
    expect(git(layout.gitDir, 'config', 'coppice.version').stdout.trim()).toBe('1');
    rmSync(layout.gitDir, { recursive: true });
    mkdirSync(join(layout.root, `.tmp-1-${'0'.repeat(16)}`, 'objects'), { recursive: true });
    await testStore(dir);
    expect(readdirSync(layout.root).toSorted()).toEqual(['lock.db', 'lock.db-gate', 'store']);
  });

  it('refuses a store of a later version and changes nothing', async () => {
    const dir = tempDir();
    const { layout } = await testStore(dir);
    const config = readFileSync(join(layout.gitDir, 'config'), 'utf8');
    writeFileSync(join(layout.gitDir, 'config'), config.replace(/(\[coppice\]\s+version = )1/, '$12'));
    await expect(testStore(dir)).rejects.toMatchObject({ code: 'integrity' });
  });

  it('moves repositories of older layouts aside, and nothing else', async () => {
    const dir = tempDir();
    const root = join(dir, 'home', 'checkpoints');
    for (const name of ['0123456789abcdef', 'store']) {
      mkdirSync(join(root, name), { recursive: true });
      execFileSync('git', ['init', '-q', '--bare'], { cwd: join(root, name) });
    }
    writeFileSync(join(root, '0123456789abcdef', 'HERMES_WORKDIR'), '/repo\n');
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, '.last_prune'), '1');
    const { layout } = await testStore(dir);
    const legacy = readdirSync(root).find((name) => LEGACY.test(name)) ?? '';
    expect(readdirSync(join(root, legacy)).toSorted()).toEqual(['0123456789abcdef', 'store']);
    expect(readFileSync(join(root, legacy, '0123456789abcdef', 'HERMES_WORKDIR'), 'utf8')).toBe('/repo\n');
    expect(readdirSync(root)).toEqual(expect.arrayContaining(['.last_prune', 'notes', 'store']));
    expect(existsSync(join(layout.gitDir, 'info', 'attributes'))).toBe(true);
    await testStore(dir);
    expect(readdirSync(root).filter((name) => LEGACY.test(name))).toEqual([legacy]);
  });

  it('moves those that appear later too, unless somebody is at work, and what cannot move is no obstacle', async () => {
    const dir = tempDir();
    const { layout, lock } = await testStore(dir);
    const shadow = join(layout.root, '0123456789abcdef');
    execFileSync('git', ['init', '-q', '--bare', shadow]);
    {
      using _atWork = await lock.share(0);
      await testStore(dir);
    }
    expect(findLegacy(layout.root).map(({ id }) => id)).toEqual(['checkpoints/0123456789abcdef']);
    await testStore(dir);
    const legacy = readdirSync(layout.root).find((name) => LEGACY.test(name)) ?? '';
    expect(readdirSync(join(layout.root, legacy))).toEqual(['0123456789abcdef']);
    expect(findLegacy(layout.root).map(({ id }) => id)).toEqual([`checkpoints/${legacy}`]);
    // The same name again within the same second: it cannot move there, and no empty folder is left for it.
    execFileSync('git', ['init', '-q', '--bare', shadow]);
    await testStore(dir);
    expect(existsSync(shadow)).toBe(true);
    expect(readdirSync(layout.root).filter((name) => LEGACY.test(name))).toEqual([legacy]);
  });
});

describe('findStore', () => {
  it('creates nothing', () => {
    const root = join(tempDir(), 'checkpoints');
    const limits = { homeRoot: root, maxFileBytes: 1, maxFiles: 1, exclude: [] };
    expect(findStore({ root, limits, clock: { now: () => 0 }, createLock: createSharedLock })).toBeUndefined();
    expect(existsSync(root)).toBe(false);
  });
});

describe('readSnapshots', () => {
  it('lists what can be read, newest first, and names what cannot', async () => {
    const dir = tempDir();
    const store = await testStore(dir);
    const workdir = join(dir, 'project');
    mkdirSync(workdir);
    const ids: string[] = [];
    for (const content of ['1', '2', '3']) {
      writeFileSync(join(workdir, 'a'), content);
      ids.push(takenOf(await takeSnapshot(store, { workdir, reason: `état "${content}"\nmore` })).id);
    }
    const { checkpoints } = await readSnapshots(store);
    expect(checkpoints.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(checkpoints[0]?.reason).toBe('état "3"\nmore');
    const [, broken = ''] = ids;
    rmSync(join(store.layout.objects, broken.slice(0, 2), broken.slice(2)));
    const left = await readSnapshots(store);
    expect(left.checkpoints.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(left.problems).toMatchObject([{ kind: 'checkpoint-unreadable', subject: expect.stringContaining(broken) }]);
    writeFileSync(
      join(store.layout.gitDir, 'refs', 'coppice', 'snapshots', checkpoints[0]?.projectId ?? '', ids[2] ?? ''),
      '',
    );
    const fewer = await readSnapshots(store);
    expect(fewer.checkpoints.map(({ id }) => id)).toEqual([ids[0]]);
    const subjects = new Set(fewer.problems.map(({ subject }) => subject.split('/').at(-1)));
    expect(subjects).toEqual(new Set([broken, ids[2]]));
  });
});
