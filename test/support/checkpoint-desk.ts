import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { previewRestore } from '../../src/checkpoints/restore/restore-preview.ts';
import { type Restore, type RestoreReport, restoreSnapshot } from '../../src/checkpoints/restore/restore-snapshot.ts';
import { type CheckpointStore, openStore } from '../../src/checkpoints/store/open-store.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import { createWorktreeDriver } from '../../src/checkpoints/worktree/worktree-driver.ts';
import type { Checkpoint, RestoredFile } from '../../src/core/retention/checkpoint.ts';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import type { RunItemState } from '../../src/core/retention/run.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import type { Clock } from '../../src/core/time.ts';
import { purgeRun } from '../../src/engine/purge-run.ts';
import { recoverRuns } from '../../src/engine/recover-runs.ts';
import { undoRun } from '../../src/engine/undo-run.ts';
import { createSharedLock } from '../../src/store/sqlite/sqlite-shared-lock.ts';
import { collect } from './collect.ts';
import { openNativeStore } from './native-store.ts';

/** A checkpoint store with a home and one working directory, at the level where files change. */
export interface CheckpointDesk extends AsyncDisposable {
  readonly workdir: string;
  readonly store: CheckpointStore;
  readonly sessions: SessionStore;
  take(request?: { sessionId?: string; seq?: number }): Promise<Checkpoint>;
  preview(target: Checkpoint): Promise<readonly RestoredFile[]>;
  restore(target: Checkpoint, options?: Partial<Restore>): Promise<Restored>;
  /** Undoes a run and says why what was left was left. */
  undo(runId: string): Promise<string[]>;
  /** Finishes a run that was cut short, as the next change of the home does. Returns what its items are then. */
  recover(runId: string): Promise<RunItemState[]>;
  purge(runId: string): Promise<void>;
}

export interface Restored extends RestoreReport {
  readonly files: readonly RestoredFile[];
  /** `path: why` of what was left alone. */
  readonly skipped: readonly string[];
}

export interface DeskOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly workdir?: string;
}

export async function openDesk({ root, clock, workdir = join(root, 'work') }: DeskOptions): Promise<CheckpointDesk> {
  const home = join(root, 'home');
  for (const path of [home, workdir]) mkdirSync(path, { recursive: true });
  const limits = { homeRoot: home, maxFileBytes: 1024 * 1024, maxFiles: 10_000, exclude: ['excluded-by-config'] };
  const store = await openStore({ root: join(home, 'checkpoints'), limits, clock, createLock: createSharedLock });
  const sessions = await openNativeStore(home, { clock });
  const { journal, rewind } = sessions;
  const engine = {
    driver: driverOf(createWorktreeDriver({ findStore: () => store, journal, rewind })),
    journal,
    clock,
  };
  let runs = 0;
  return {
    workdir,
    store,
    sessions,
    async take(request = {}) {
      const result = await takeSnapshot(store, { workdir, ...request });
      if (result.status === 'refused') throw new Error(result.message);
      return result.checkpoint;
    },
    preview: (target) => collect(previewRestore(store, { target, paths: [] })),
    async restore(target, options = {}) {
      runs += 1;
      const runId = `run-${process.pid}-${runs}`;
      const steps = restoreSnapshot(
        { store, journal, rewind },
        { runId, expiresAt: clock.now() + 1, target, ...options },
      );
      return collectRestore(steps);
    },
    async undo(runId) {
      const outcomes = await collect(undoRun(engine, runId));
      return outcomes.flatMap(({ detail }) => detail ?? []);
    },
    async recover(runId) {
      await collect(recoverRuns(engine));
      return (await collect(journal.items(runId))).map(({ state }) => state);
    },
    async purge(runId) {
      await purgeRun(engine, runId);
    },
    [Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
  };
}

async function collectRestore(steps: AsyncGenerator<RestoredFile, RestoreReport>): Promise<Restored> {
  const files: RestoredFile[] = [];
  for (;;) {
    const { value, done } = await steps.next();
    if (done !== true) {
      files.push(value);
      continue;
    }
    const skipped = files.flatMap((file) =>
      file.status === 'skipped' ? [`${file.path.toString()}: ${file.detail}`] : [],
    );
    return { ...value, files, skipped };
  }
}

/** What these tests do not ask for is not there. */
function driverOf(part: ReturnType<typeof createWorktreeDriver>): HomeDriver {
  const scan = () => Promise.reject(new Error('there is nothing to scan'));
  return { ...part, scan, giveBack: async () => 0 };
}
