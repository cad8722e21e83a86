// Taking and listing checkpoints, beside the same work done with bare git.
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openHome } from '../dist/index.js';
import { compare, format, report } from './measure.js';
import { seeded, sentence } from './words.js';

const FILES = 10_000;
const start = promisify(execFile);

export async function benchCheckpoints(directory) {
  const root = join(directory, 'checkpoints');
  const tree = join(root, 'tree');
  makeTree(tree, FILES);
  await benchFirst(root, tree);
  const home = await openHome({ path: join(root, 'home') });
  const bare = await bareStore(root, { name: 'bare', tree });
  await home.checkpoints.take({ workdir: tree });
  await bare.snapshot();
  await benchUnchanged(home, { bare, tree });
  await benchOneChanged(home, { bare, tree });
  await benchList(home, { bare, tree });
  await benchFull(root, tree);
  await home.close();
  await benchWorktrees(root);
}

function makeTree(tree, files) {
  const random = seeded(4);
  for (let at = 0; at < files; at += 1) {
    if (at % 100 === 0) mkdirSync(join(tree, `d${at / 100}`), { recursive: true });
    writeFileSync(join(tree, `d${Math.floor(at / 100)}`, `f${at}.txt`), `${at} ${sentence(random, 300)}\n`);
  }
}

/** A bare repository over the same files, with the same care for the disk. */
async function bareStore(root, { name, tree }) {
  const gitDir = join(root, name);
  await start('git', ['init', '-q', '--bare', gitDir]);
  const env = { PATH: process.env.PATH, HOME: root, GIT_DIR: gitDir, GIT_WORK_TREE: tree };
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const settings = ['core.fsync=all', 'core.fsyncMethod=batch', 'core.bare=false'].flatMap((one) => ['-c', one]);
  const git = async (...args) => {
    const options = { cwd: tree, env: { ...env, ...who }, maxBuffer: 1e9 };
    return (await start('git', [...settings, ...args], options)).stdout.trim();
  };
  const snapshot = async () => {
    await git('add', '-A');
    const id = await git('commit-tree', await git('write-tree'), '-m', 'snapshot');
    await git('update-ref', 'refs/heads/master', id);
  };
  return { git, snapshot };
}

function note({ oursMs, bareMs }) {
  return `${format(oursMs)} ms, bare ${format(bareMs)} ms`;
}

async function benchFirst(root, tree) {
  const homes = [];
  const stores = [];
  for (let round = 0; round < 3; round += 1) {
    homes.push(await openHome({ path: join(root, `first-${round}`) }));
    stores.push(await bareStore(root, { name: `bare-${round}`, tree }));
  }
  const result = await compare(
    3,
    (round) => homes[round].checkpoints.take({ workdir: tree }),
    (round) => stores[round].git('add', '-A'),
  );
  for (const home of homes) await home.close();
  report(`first checkpoint of ${FILES} files / git add -A`, result.ratio, {
    limit: 1.2,
    unit: '×',
    note: note(result),
  });
}

async function benchUnchanged(home, { bare, tree }) {
  const result = await compare(
    21,
    () => home.checkpoints.take({ workdir: tree }),
    () => bare.git('status', '--porcelain'),
  );
  report('checkpoint of an unchanged tree / git status', result.ratio, { limit: 1.3, unit: '×', note: note(result) });
}

async function benchOneChanged(home, { bare, tree }) {
  let changes = 0;
  const change = () => appendFileSync(join(tree, 'd7', 'f700.txt'), `${(changes += 1)}\n`);
  const result = await compare(
    21,
    () => {
      change();
      return home.checkpoints.take({ workdir: tree });
    },
    () => {
      change();
      return bare.snapshot();
    },
  );
  const name = 'checkpoint after one change / add, write-tree, commit-tree, update-ref';
  report(name, result.ratio, { limit: 1.5, unit: '×', note: note(result) });
}

async function benchList(home, { bare, tree }) {
  const { length } = await home.checkpoints.list({ workdir: tree });
  for (let parent = await bare.git('rev-parse', 'master'), at = 1; at < length; at += 1) {
    parent = await bare.git('commit-tree', `${parent}^{tree}`, '-p', parent, '-m', `snapshot ${at}`);
    await bare.git('update-ref', 'refs/heads/master', parent);
  }
  const result = await compare(
    21,
    () => home.checkpoints.list({ workdir: tree }),
    () => bare.git('log', `-${length}`),
  );
  report(`list ${length} checkpoints / git log`, result.ratio, { limit: 2, unit: '×', note: note(result) });
}

/** Nothing is removed while a checkpoint is taken, so it costs the same with as many as there may be. */
async function benchFull(root, tree) {
  const few = await openHome({ path: join(root, 'few') });
  const full = await openHome({ path: join(root, 'full') });
  const take = (home, text) => {
    appendFileSync(join(tree, 'd9', 'f900.txt'), text);
    return home.checkpoints.take({ workdir: tree });
  };
  await take(few, 'first\n');
  for (let at = 0; at < full.config.checkpoints.max_snapshots; at += 1) await take(full, `${at}\n`);
  const result = await compare(
    15,
    () => take(full, 'more\n'),
    () => take(few, 'more\n'),
  );
  await few.close();
  await full.close();
  report('checkpoint at max_snapshots / below it', result.ratio, { limit: 1.2, unit: '×', note: note(result) });
}

/** What is saved is shared. In a cache beside the store each folder has its index, by which git knows what is as it was. */
async function benchWorktrees(root) {
  for (const files of [1000, FILES]) {
    const first = join(root, `worktree-${files}-0`);
    makeTree(first, files);
    const path = join(root, `shared-${files}`);
    const home = await openHome({ path });
    await home.checkpoints.take({ workdir: first });
    // Many files are packed in the background, which would make twelve smaller than one.
    await home.checkpoints.settled();
    const one = storeBytes(path);
    for (let at = 1; at < 12; at += 1) {
      const copy = join(root, `worktree-${files}-${at}`);
      cpSync(first, copy, { recursive: true });
      await home.checkpoints.take({ workdir: copy });
    }
    await home.close();
    const all = storeBytes(path);
    const both = (all.store + all.cache) / (one.store + one.cache);
    const shown = `with the cache beside it ${format(both)}×, ${format(all.cache / 12 / files)} bytes a file each`;
    const name = `store of 12 identical folders of ${files} files / of one`;
    report(name, all.store / one.store, { limit: 1.05, unit: '×', note: shown });
  }
}

function storeBytes(home) {
  return { store: blocks(join(home, 'checkpoints')), cache: blocks(join(home, 'cache')) };
}

function blocks(folder) {
  const names = readdirSync(folder, { recursive: true });
  return names.reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks * 512, 0);
}
