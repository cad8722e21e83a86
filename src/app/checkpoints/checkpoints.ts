import { resolve } from 'node:path';
import type { CheckpointStore } from '../../checkpoints/store/open-store.ts';
import type { StoreVerdict, VerifyOptions } from '../../checkpoints/store/verify-store.ts';
import type { Changed } from '../../checkpoints/take/measure-changes.ts';
import type {
  Checkpoint,
  CheckpointProject,
  TakeOptions,
  TakeRequest,
  TakeResult,
} from '../../core/retention/checkpoint.ts';
import type { BoundsReport } from '../../core/retention/maintenance.ts';
import { type CheckpointsRequest, isRemoval } from '../../core/retention/plan.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { expandTilde } from '../../platform/machine/user-home.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseBadConfig } from '../refuse-bad-config.ts';
import { refuseForeignCheckpoints } from '../refuse-foreign.ts';
import type { AppliedRun, Retention } from '../retention/retention.ts';
import type { BoundsOptions } from './checkpoint-bounds.ts';
import type { CheckpointStatus } from './checkpoint-status.ts';
import type { CheckpointDiff, CheckpointDiffOptions } from './diff-checkpoints.ts';
import type {
  CheckpointRestoreOptions,
  CheckpointRestorePreview,
  CheckpointRestoreResult,
  PreviewOptions,
} from './restore-checkpoint.ts';

export interface CheckpointDetail {
  readonly checkpoint: Checkpoint;
  /** The one before it in the same project, which `changes` compares it with. */
  readonly previous?: Checkpoint;
  readonly changes: Changed;
}

/**
 * The saved states of working directories: `home.checkpoints`. Everything behind it is loaded when it is used, because most
 * programs only record sessions.
 */
export class Checkpoints {
  readonly #parts: HomeParts;
  readonly #retention: () => Promise<Retention>;
  /** What goes on in the background after takes. */
  #bounding: Promise<unknown> = Promise.resolve();

  constructor(parts: HomeParts, retention: () => Promise<Retention>) {
    this.#parts = parts;
    this.#retention = retention;
  }

  /**
   * Saves the state of a working directory: once per turn of a session, and only if anything changed. A directory that may not
   * be saved is a `refused` result with the reason, not an error. With `automatic` it also heeds `checkpoints.enabled`.
   */
  async take(request: TakeRequest, options: TakeOptions = {}): Promise<TakeResult> {
    refuseBadConfig(this.#parts);
    if (request.automatic === true && !this.#parts.config.checkpoints.enabled) return SWITCHED_OFF;
    const { takeSnapshot } = await import('../../checkpoints/take/take-snapshot.ts');
    const result = await takeSnapshot(await this.#open(), { ...request, ...(await this.#seq(request)) }, options);
    if (result.status === 'taken') this.#bounding = this.#bounding.then(() => this.keepBounded());
    return result;
  }

  /** Newest first: of one working directory, or of all. */
  async list({ workdir }: { readonly workdir?: string } = {}): Promise<readonly Checkpoint[]> {
    const { foreign } = this.#parts;
    await this.#parts.settleFirst?.();
    if (foreign !== undefined) {
      const { listForeignCheckpoints } = await import('../hermes/hermes-checkpoints.ts');
      return listForeignCheckpoints(foreign.path, workdir === undefined ? undefined : realPath(workdir));
    }
    const store = await this.#find();
    if (store === undefined) return [];
    const { readSnapshots } = await import('../../checkpoints/read-snapshots.ts');
    const { projectIdOf } = await import('../../checkpoints/store/store-layout.ts');
    const projectId = workdir === undefined ? undefined : projectIdOf(realPath(workdir));
    return (await readSnapshots(store, { projectId })).checkpoints;
  }

  /** Every working directory that has checkpoints, the one used last first. */
  async projects(): Promise<readonly CheckpointProject[]> {
    const { foreign } = this.#parts;
    if (foreign !== undefined) {
      const { listForeignProjects } = await import('../hermes/hermes-checkpoints.ts');
      const { recallSightings } = await import('./checkpoint-sightings.ts');
      const sightings = await recallSightings(this.#parts);
      return listForeignProjects(foreign.path, { sightings, now: this.#parts.clock.now() });
    }
    const store = await this.#find();
    if (store === undefined) return [];
    const { listProjects } = await import('../../checkpoints/store/list-projects.ts');
    return listProjects(store);
  }

  /** One checkpoint by its id or the first characters of it, and what is new in it. */
  async show(id: string): Promise<CheckpointDetail> {
    const { foreign } = this.#parts;
    if (foreign !== undefined) {
      const { showForeignCheckpoint } = await import('../hermes/hermes-checkpoints.ts');
      return showForeignCheckpoint(foreign.path, id);
    }
    const { findSnapshot } = await import('../../checkpoints/find-snapshot.ts');
    const { measureChanges } = await import('../../checkpoints/take/measure-changes.ts');
    const store = await this.#open();
    const { checkpoint, previous } = await findSnapshot(store, id);
    const changes = await measureChanges(store, checkpoint, previous);
    return { checkpoint, changes, ...(previous !== undefined && { previous }) };
  }

  /** Which files changed since a checkpoint: up to now, or up to another. */
  async diff(id: string, options: CheckpointDiffOptions = {}): Promise<CheckpointDiff> {
    const { foreign } = this.#parts;
    if (foreign !== undefined) {
      const { diffForeign } = await import('../hermes/diff-foreign.ts');
      return diffForeign(this.#parts, { home: foreign.path, id, ...options });
    }
    const { diffCheckpoints } = await import('./diff-checkpoints.ts');
    return diffCheckpoints(await this.#open(), { id, ...options });
  }

  /** The same as text, as `git diff` shows it. */
  async *diffText(id: string, options: CheckpointDiffOptions = {}): AsyncGenerator<string> {
    const { foreign } = this.#parts;
    if (foreign !== undefined) {
      const { diffForeignText } = await import('../hermes/diff-foreign.ts');
      yield* diffForeignText(this.#parts, { home: foreign.path, id, ...options });
      return;
    }
    const { diffCheckpointsText } = await import('./diff-checkpoints.ts');
    yield* diffCheckpointsText(await this.#open(), { id, ...options });
  }

  /**
   * Takes files back to a checkpoint: all, or some paths. What is there now is saved first, only what differs is touched, and
   * `home.undo` of the run goes back. A file that cannot be written is `skipped`; doing it again goes on.
   */
  async restore(id: string, options: CheckpointRestoreOptions = {}): Promise<CheckpointRestoreResult> {
    const { foreign } = this.#parts;
    const retention = await this.#retention();
    if (foreign !== undefined) {
      const { restoreForeign } = await import('../hermes/restore-foreign.ts');
      const request = { home: foreign.path, id };
      return retention.change('restoring a checkpoint', () => restoreForeign(this.#parts, request, options));
    }
    const { restoreCheckpoint } = await import('./restore-checkpoint.ts');
    const store = await this.#open();
    return retention.change('restoring a checkpoint', () => restoreCheckpoint(this.#parts, store, { id, ...options }));
  }

  /** What `restore` would do now. Changes nothing. */
  async previewRestore(id: string, options: PreviewOptions = {}): Promise<CheckpointRestorePreview> {
    const { foreign } = this.#parts;
    if (foreign !== undefined) {
      const { previewForeign } = await import('../hermes/restore-foreign.ts');
      return previewForeign(this.#parts, { home: foreign.path, id }, options);
    }
    const { previewCheckpoint } = await import('./restore-checkpoint.ts');
    return previewCheckpoint(await this.#open(), { id, ...options });
  }

  /** Protects a checkpoint from every kind of removal. */
  pin(id: string): Promise<Checkpoint> {
    return this.#setPin(id, true);
  }

  unpin(id: string): Promise<Checkpoint> {
    return this.#setPin(id, false);
  }

  async #setPin(id: string, pinned: boolean): Promise<Checkpoint> {
    refuseBadConfig(this.#parts);
    const { findSnapshot } = await import('../../checkpoints/find-snapshot.ts');
    const { setPin } = await import('../../checkpoints/set-pin.ts');
    const store = await this.#open();
    return setPin(store, (await findSnapshot(store, id)).checkpoint, pinned);
  }

  /** Removes what is beyond the limits, by default those of the configuration. Nothing to do is `undefined`. */
  async prune(limits: Partial<Omit<CheckpointsRequest, 'kind'>> = {}): Promise<AppliedRun | undefined> {
    const retention = await this.#retention();
    const plan = await retention.plan({ kind: 'checkpoints', keepOrphans: true, ...limits });
    return plan.decisions.some(isRemoval) ? retention.apply(plan) : undefined;
  }

  /** Holds the limits of the configuration, as happens in the background after each take. Never rejects. */
  async keepBounded(options?: BoundsOptions): Promise<BoundsReport> {
    const { keepCheckpointsBounded } = await import('./checkpoint-bounds.ts');
    return keepCheckpointsBounded(this.#parts, await this.#retention(), options);
  }

  /** Projects, checkpoints, what they take and share, limits and problems. Changes nothing. */
  async status(): Promise<CheckpointStatus> {
    await this.#parts.settleFirst?.();
    const { checkpointStatus } = await import('./checkpoint-status.ts');
    return checkpointStatus(this.#parts);
  }

  /** Whether every checkpoint is complete and exactly what was saved. Reads everything; changes nothing. */
  async verify(options: VerifyOptions = {}): Promise<StoreVerdict> {
    const { foreign } = this.#parts;
    if (foreign !== undefined) {
      const { verifyForeign } = await import('../hermes/verify-foreign.ts');
      return verifyForeign(this.#parts, foreign.path, options);
    }
    const store = await this.#find();
    if (store === undefined) return { checkpoints: 0, problems: [] };
    const { verifyStore } = await import('../../checkpoints/store/verify-store.ts');
    return verifyStore(store, options);
  }

  /** Resolves when nothing goes on in the background any more. */
  async settled(): Promise<void> {
    await this.#bounding;
  }

  /** Where the conversation stands, so that it can go back together with the files. */
  async #seq({ sessionId, seq }: TakeRequest): Promise<{ seq?: number }> {
    if (sessionId === undefined || seq !== undefined) return {};
    if ((await this.#parts.store.get(sessionId)) === undefined) return {};
    for await (const message of this.#parts.store.messages(sessionId, { last: 1 })) return { seq: message.seq };
    // A conversation that has not begun goes back to its beginning.
    return { seq: 0 };
  }

  async #open(): Promise<CheckpointStore> {
    const { openStore, options } = await this.#doors();
    return openStore(options);
  }

  /** Looking creates no store. */
  async #find(): Promise<CheckpointStore | undefined> {
    const { findStore, options } = await this.#doors();
    return findStore(options);
  }

  async #doors() {
    refuseForeignCheckpoints(this.#parts);
    const { openStore, findStore } = await import('../../checkpoints/store/open-store.ts');
    const { checkpointStoreOptions } = await import('./checkpoint-store.ts');
    return { openStore, findStore, options: checkpointStoreOptions(this.#parts) };
  }
}

const SWITCHED_OFF: TakeResult = {
  status: 'refused',
  message: 'No checkpoint was taken: automatic checkpoints are off.',
  hint: 'Switch them on with checkpoints.enabled: true in config.yaml, or take one with: coppice checkpoints take',
};

/** As projects are named; a directory that is gone is named as it was typed. */
function realPath(workdir: string): string {
  return realPathIfThere(resolve(expandTilde(workdir)));
}
