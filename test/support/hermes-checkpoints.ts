import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface CheckpointProject {
  readonly workdir: string;
  /** One snapshot each; the reason is what Hermes writes as the message. */
  readonly reasons: readonly string[];
  /** When the first was taken; each further one a minute later. */
  readonly firstAt: number;
}

/** The name Hermes gives a project: the beginning of the hash of its resolved path. */
export function projectHash(workdir: string): string {
  return createHash('sha256').update(workdir).digest('hex').slice(0, 16);
}

/** The older layout: one repository for each directory. */
export function addV1Checkpoints(checkpointsDir: string, project: CheckpointProject): void {
  const { workdir, reasons, firstAt } = project;
  const gitDir = join(checkpointsDir, projectHash(workdir));
  mkdirSync(gitDir, { recursive: true });
  mkdirSync(workdir, { recursive: true });
  gitIn({ GIT_DIR: gitDir, GIT_WORK_TREE: workdir })(['init', '-q']);
  writeFileSync(join(gitDir, 'HERMES_WORKDIR'), `${workdir}\n`);
  reasons.forEach((reason, index) => {
    writeFileSync(join(workdir, 'work.txt'), `${reason} ${index}\n`);
    takeV1(checkpointsDir, { workdir, reason, at: firstAt + index * 60_000 });
  });
}

/** The newer layout: one store for all projects, with a ref, an index and a page about each. */
export function addV2Checkpoints(checkpointsDir: string, project: CheckpointProject): void {
  const { workdir, reasons, firstAt } = project;
  const store = join(checkpointsDir, 'store');
  const hash = projectHash(workdir);
  for (const name of ['indexes', 'projects']) mkdirSync(join(store, name), { recursive: true });
  mkdirSync(workdir, { recursive: true });
  gitIn({ GIT_DIR: store })(['init', '-q', '--bare']);
  reasons.forEach((reason, index) => {
    writeFileSync(join(workdir, 'work.txt'), `${reason} ${index}\n`);
    takeV2(checkpointsDir, { workdir, reason, at: firstAt + index * 60_000 });
  });
  const seconds = firstAt / 1000;
  const { dev, ino } = statSync(dirname(workdir));
  const page = {
    workdir,
    created_at: seconds,
    last_touch: seconds + reasons.length * 60,
    workdir_parent_dev: dev,
    workdir_parent_ino: ino,
  };
  writeFileSync(join(store, 'projects', `${hash}.json`), JSON.stringify(page));
}

export interface HermesTake {
  readonly workdir: string;
  readonly reason: string;
  readonly at: number;
}

/** One more checkpoint in the older layout, by the commands that Hermes uses. */
export function takeV1(checkpointsDir: string, { workdir, reason, at }: HermesTake): void {
  const git = gitIn({ GIT_DIR: join(checkpointsDir, projectHash(workdir)), GIT_WORK_TREE: workdir });
  git(['add', '-A']);
  git(['commit', '-q', '--no-gpg-sign', '-m', reason], at);
}

/** The same in the newer layout: the ref moves only if it is what it was. */
export function takeV2(checkpointsDir: string, { workdir, reason, at }: HermesTake): void {
  const store = join(checkpointsDir, 'store');
  const hash = projectHash(workdir);
  const ref = `refs/hermes/${hash}`;
  const git = gitIn({ GIT_DIR: store, GIT_WORK_TREE: workdir, GIT_INDEX_FILE: join(store, 'indexes', hash) });
  git(['add', '-A']);
  const tree = git(['write-tree']);
  const parent = git(['for-each-ref', '--format=%(objectname)', ref]);
  const commit = git(['commit-tree', tree, ...(parent === '' ? [] : ['-p', parent]), '-m', reason], at);
  git(['update-ref', ref, commit, parent === '' ? '0'.repeat(40) : parent]);
}

/** Cuts a history back to its newest, the way Hermes does: each is written anew, and all that is left over goes at once. */
export function pruneV2(checkpointsDir: string, workdir: string, keep: number): void {
  const store = join(checkpointsDir, 'store');
  const ref = `refs/hermes/${projectHash(workdir)}`;
  const git = gitIn({ GIT_DIR: store });
  const old = git(['rev-parse', ref]);
  const kept = git(['rev-list', '--reverse', `--max-count=${keep}`, ref]).split('\n');
  let parent: string | undefined;
  for (const id of kept) {
    const at = Number(git(['log', '-1', '--format=%ct', id])) * 1000;
    const parents = parent === undefined ? [] : ['-p', parent];
    parent = git(['commit-tree', `${id}^{tree}`, ...parents, '-m', git(['log', '-1', '--format=%B', id])], at);
  }
  git(['update-ref', ref, parent ?? '', old]);
  git(['gc', '-q', '--prune=now']);
}

function gitIn(place: Readonly<Record<string, string>>) {
  return (args: readonly string[], at = 0): string => {
    const date = `${Math.floor(at / 1000)} +0000`;
    const env = {
      PATH: process.env['PATH'] ?? '',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Hermes Checkpoint',
      GIT_AUTHOR_EMAIL: 'hermes@local',
      GIT_COMMITTER_NAME: 'Hermes Checkpoint',
      GIT_COMMITTER_EMAIL: 'hermes@local',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      ...place,
    };
    return execFileSync('git', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  };
}
