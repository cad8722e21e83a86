import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckpointStore, openStore } from '../../src/checkpoints/store/open-store.ts';
import { writeProject } from '../../src/checkpoints/store/project-book.ts';
import { projectIdOf } from '../../src/checkpoints/store/store-layout.ts';
import { commitSnapshot } from '../../src/checkpoints/take/commit-snapshot.ts';
import { fileId } from '../../src/checkpoints/project/locate-workdir.ts';
import type { Checkpoint } from '../../src/core/retention/checkpoint.ts';
import type { RunItem } from '../../src/core/retention/run.ts';
import type { Clock } from '../../src/core/time.ts';
import { runGit } from '../../src/platform/git/run-git.ts';
import { createSharedLock } from '../../src/store/sqlite/sqlite-shared-lock.ts';
import { NOW } from './clock.ts';

/** A store below `dir`, without a home around it. */
export function boundsStore(dir: string, clock: Clock = { now: () => NOW }): Promise<CheckpointStore> {
  return openStore({
    root: join(dir, 'home', 'checkpoints'),
    limits: { homeRoot: join(dir, 'home'), maxFileBytes: 10 * 1024 * 1024, maxFiles: 200_000, exclude: [] },
    clock,
    createLock: createSharedLock,
  });
}

export interface GivenSnapshot {
  readonly workdir: string;
  readonly takenAt?: number;
  readonly files: Readonly<Record<string, string>>;
}

/** Saves a checkpoint of files that are nowhere on disk: quick, and with any time. */
export async function addSnapshot(store: CheckpointStore, given: GivenSnapshot): Promise<Checkpoint> {
  const { workdir, takenAt = NOW, files } = given;
  const { layout } = store;
  const lines: string[] = [];
  for (const [name, input] of Object.entries(files)) {
    const { stdout } = await runGit(layout, ['hash-object', '-w', '--stdin'], { input });
    lines.push(`100644 blob ${stdout.toString().trim()}\t${name}`);
  }
  const { stdout } = await runGit(layout, ['mktree'], { input: lines.map((line) => `${line}\n`).join('') });
  const projectId = projectIdOf(workdir);
  const facts = {
    projectId,
    workdir,
    takenAt,
    reason: '',
    kind: 'taken',
    fileCount: lines.length,
    leftOutCount: 0,
  } as const;
  const checkpoint = await commitSnapshot(store, stdout.toString().trim(), facts);
  if (!existsSync(workdir)) mkdirSync(workdir, { recursive: true });
  writeProject(layout, projectId, {
    workdir,
    createdAt: takenAt,
    lastTakenAt: takenAt,
    self: fileId(workdir),
    parent: fileId(join(workdir, '..')),
    index: { id: checkpoint.id, tree: checkpoint.tree, text: '', stamp: 'none', rules: '' },
  });
  return checkpoint;
}

/** Text that does not compress to nothing and differs by its seed. */
export function noise(seed: string, bytes: number): string {
  let text = '';
  let state = [...seed].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), 7) >>> 0;
  while (text.length < bytes) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, bytes);
}

export function runItem({ id, projectId }: Checkpoint, number: number, given: Partial<RunItem> = {}): RunItem {
  return {
    number,
    item: { kind: 'checkpoint', id },
    action: 'remove',
    reason: 'retention',
    fingerprint: projectId,
    sizeBytes: 0,
    skipsTrash: false,
    state: 'intended',
    ...given,
  };
}

/** A file in the store. */
export function putFile(path: string, content = 'x'): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
}
