import { resolve } from 'node:path';
import type { CheckpointDetail, HomeCheckpoints } from '../../checkpoints/home-checkpoints.ts';
import type { CheckpointDiff, CheckpointDiffOptions } from '../../checkpoints/restore/diff-checkpoints.ts';
import type {
  CheckpointRestoreOptions,
  CheckpointRestorePreview,
  CheckpointRestoreResult,
  PreviewOptions,
} from '../../checkpoints/restore-checkpoint.ts';
import type { CheckpointStore } from '../../checkpoints/store/open-store.ts';
import type { StoreVerdict, VerifyOptions } from '../../checkpoints/reclaim/verify-store.ts';
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
import { refuseBadConfig } from '../refusals/refuse-bad-config.ts';
import { refuseForeignCheckpoints } from '../refusals/refuse-foreign.ts';
import type { AppliedRun, Retention } from '../retention/retention.ts';
import type { BoundsOptions } from './checkpoint-bounds.ts';
import type { CheckpointStatus } from './checkpoint-status.ts';

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
    await this.#parts.settleFirst?.();
    return (await this.#ofHome()).list(workdir === undefined ? undefined : realPath(workdir));
  }

  /** Every working directory that has checkpoints, the one used last first. */
  async projects(): Promise<readonly CheckpointProject[]> {
    return (await this.#ofHome()).projects();
  }

  /** One checkpoint by its id or the first characters of it, and what is new in it. */
  async show(id: string): Promise<CheckpointDetail> {
    return (await this.#ofHome()).show(id);
  }

  /** Which files changed since a checkpoint: up to now, or up to another. */
  async diff(id: string, options: CheckpointDiffOptions = {}): Promise<CheckpointDiff> {
    return (await this.#ofHome()).diff(id, options);
  }

  /** The same as text, as `git diff` shows it. */
  async *diffText(id: string, options: CheckpointDiffOptions = {}): AsyncGenerator<string> {
    yield* (await this.#ofHome()).diffText(id, options);
  }

  /**
   * Takes files back to a checkpoint: all, or some paths. What is there now is saved first, only what differs is touched, and
   * `home.undo` of the run goes back. A file that cannot be written is `skipped`; doing it again goes on.
   */
  async restore(id: string, options: CheckpointRestoreOptions = {}): Promise<CheckpointRestoreResult> {
    const checkpoints = await this.#ofHome();
    return (await this.#retention()).change('restoring a checkpoint', () => checkpoints.restore(id, options));
  }

  /** What `restore` would do now. Changes nothing. */
  async previewRestore(id: string, options: PreviewOptions = {}): Promise<CheckpointRestorePreview> {
    return (await this.#ofHome()).previewRestore(id, options);
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
    const { findSnapshot } = await import('../../checkpoints/store/find-snapshot.ts');
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
    return (await this.#ofHome()).verify(options);
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

  async #ofHome(): Promise<HomeCheckpoints> {
    const { checkpointsOf } = await import('./checkpoints-of.ts');
    return checkpointsOf(this.#parts);
  }

  /** Coppice's own store, which only a home of its own has. */
  async #open(): Promise<CheckpointStore> {
    refuseForeignCheckpoints(this.#parts);
    const { openStore } = await import('../../checkpoints/store/open-store.ts');
    const { checkpointStoreOptions } = await import('./checkpoint-store.ts');
    return openStore(checkpointStoreOptions(this.#parts));
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
