import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  const gitDir = join(checkpointsDir, projectHash(project.workdir));
  mkdirSync(gitDir, { recursive: true });
  mkdirSync(project.workdir, { recursive: true });
  const git = gitIn({ GIT_DIR: gitDir, GIT_WORK_TREE: project.workdir });
  git(['init', '-q']);
  writeFileSync(join(gitDir, 'HERMES_WORKDIR'), `${project.workdir}\n`);
  project.reasons.forEach((reason, index) => {
    writeFileSync(join(project.workdir, 'work.txt'), `${reason} ${index}\n`);
    git(['add', '-A']);
    git(['commit', '-q', '--no-gpg-sign', '-m', reason], project.firstAt + index * 60_000);
  });
}

/** The newer layout: one store for all projects, with a ref, an index and a page about each. */
export function addV2Checkpoints(checkpointsDir: string, project: CheckpointProject): void {
  const store = join(checkpointsDir, 'store');
  const hash = projectHash(project.workdir);
  for (const name of ['indexes', 'projects']) mkdirSync(join(store, name), { recursive: true });
  mkdirSync(project.workdir, { recursive: true });
  gitIn({ GIT_DIR: store })(['init', '-q', '--bare']);
  const git = gitIn({
    GIT_DIR: store,
    GIT_WORK_TREE: project.workdir,
    GIT_INDEX_FILE: join(store, 'indexes', hash),
  });
  let parent: string | undefined;
  project.reasons.forEach((reason, index) => {
    writeFileSync(join(project.workdir, 'work.txt'), `${reason} ${index}\n`);
    git(['add', '-A']);
    const tree = git(['write-tree']);
    const parents = parent === undefined ? [] : ['-p', parent];
    parent = git(['commit-tree', tree, ...parents, '-m', reason], project.firstAt + index * 60_000);
  });
  if (parent !== undefined) git(['update-ref', `refs/hermes/${hash}`, parent]);
  const seconds = project.firstAt / 1000;
  const page = { workdir: project.workdir, created_at: seconds, last_touch: seconds + project.reasons.length * 60 };
  writeFileSync(join(store, 'projects', `${hash}.json`), JSON.stringify(page));
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
