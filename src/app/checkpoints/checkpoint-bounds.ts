import { join } from 'node:path';
import type { CheckpointsFound, HomeCheckpoints } from '../../checkpoints/home-checkpoints.ts';
import { MANY_LOOSE } from '../../checkpoints/reclaim/reclaim-plan.ts';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { type BoundsReport, nextDueAt } from '../../core/retention/maintenance.ts';
import {
  type CheckpointsRequest,
  type Decision,
  goesForGood,
  isRemoval,
  type Plan,
} from '../../core/retention/plan.ts';
import type { GuardRules } from '../../core/retention/policy.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { makePrivateDir } from '../../platform/files/private-files.ts';
import { createSharedLock } from '../../store/sqlite/sqlite-shared-lock.ts';
import type { HomeParts } from '../home-parts.ts';
import { recallMaintenance } from '../maintenance/maintenance-memory.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';
import { noteSightings } from './checkpoint-sightings.ts';
import { checkpointsOf } from './checkpoints-of.ts';

/** What carries out what is decided here. */
export interface BoundsEngine {
  reclaimCheckpoints(): Promise<number>;
  plan(request: CheckpointsRequest): Promise<Plan>;
  /** `forGood` also lets go of what loses its way back, as the plan says. */
  apply(
    plan: Plan,
    options: { readonly forGood: true },
  ): Promise<{ readonly run: { readonly id: string }; readonly skipped: number; readonly freedBytes: number }>;
}

export interface BoundsOptions {
  /** Also when the last pass was a moment ago. */
  readonly now?: boolean;
}

/**
 * Holds the checkpoints of a home within their limits, unattended: looks, which costs little, and where a limit is exceeded or
 * a pass is due, gives space back and makes a run of the one engine. Never rejects.
 */
export async function keepCheckpointsBounded(
  parts: HomeParts,
  engine: BoundsEngine,
  { now = false }: BoundsOptions = {},
): Promise<BoundsReport> {
  try {
    const { foreign, config, layout } = parts;
    if (!config.checkpoints.auto_prune || (foreign?.reasons.length ?? 0) > 0) return { status: 'off' };
    const checkpoints = checkpointsOf(parts);
    if ((await checkpoints.look()) === undefined) return { status: 'within' };
    await foreign?.prepare();
    const root = join(layout.root, 'checkpoints');
    makePrivateDir(root);
    // Many processes may take at once, and one of them looks after the limits.
    using _pass = await createSharedLock(join(root, 'pass.db')).alone(0);
    const memory = await recall(parts);
    if (!now && !(await isDue(parts, checkpoints, memory))) return { status: 'within' };
    // Written first: a pass that fails must not be tried again after every checkpoint.
    await remember(parts, { ...memory, lastAt: parts.clock.now() });
    return await pass(parts, engine);
  } catch (error) {
    if (error instanceof Failure && error.code === 'locked') return { status: 'busy' };
    return { status: 'failed', error: errorText(error) };
  }
}

/** When the next pass is due whatever happens until then; `undefined` when there are none. */
export async function nextBoundsAt(parts: HomeParts): Promise<EpochMs | undefined> {
  if (!parts.config.checkpoints.auto_prune) return undefined;
  return dueAt(parts, await recall(parts));
}

/** What is spare goes first, and may be all that has to. What a person holds stays. */
async function pass(parts: HomeParts, engine: BoundsEngine): Promise<BoundsReport> {
  const checkpoints = checkpointsOf(parts);
  await noteSightings(parts, checkpoints);
  const reclaimed = await engine.reclaimCheckpoints();
  const held = (await recallMaintenance(parts)).heldSince !== undefined;
  const cut = held ? { removed: 0, freedBytes: 0 } : await cutBack(parts, engine);
  const left = await look(checkpoints);
  await remember(parts, { lastAt: parts.clock.now(), inVain: isCrowded(parts, left), leftBytes: left.diskBytes });
  return { status: 'done', ...cut, freedBytes: reclaimed + cut.freedBytes, ...(held && { held }) };
}

async function cutBack(parts: HomeParts, engine: BoundsEngine) {
  const { guard } = policyFromConfig(parts.config);
  const keepOrphans = !parts.config.checkpoints.delete_orphans;
  const plan = atMost(guard, await engine.plan({ kind: 'checkpoints', keepOrphans, unattended: true }));
  const going = plan.decisions.filter(isRemoval);
  if (going.length === 0) return { removed: 0, freedBytes: 0 };
  const { run, skipped, freedBytes } = await engine.apply(plan, { forGood: true });
  const checkpoints = going.filter(({ item }) => item.kind === 'checkpoint').length;
  const undoable = going.some((decision) => !goesForGood(decision));
  return { removed: Math.max(0, checkpoints - skipped), freedBytes, ...(undoable && { runId: run.id }) };
}

/** A project may have this much more than `max_snapshots` until a run takes them back, so that not every take brings one. */
const SLACK = 1.25;
/** Where a pass did not bring enough, the next comes after this time, or once so much of the limit has been added. */
const VAIN_MS = 10 * MINUTE_MS;
const VAIN_PART = 0.1;

/** Whether anything is to be done. Where only the cache is too large, that is done here. */
async function isDue(parts: HomeParts, checkpoints: HomeCheckpoints, memory: PassMemory): Promise<boolean> {
  const now = parts.clock.now();
  if (dueAt(parts, memory) <= now) return true;
  const { maxSnapshots = Infinity, maxBytes = Infinity } = policyFromConfig(parts.config).checkpoints;
  const { inVain = false, leftBytes = 0 } = memory;
  const patient = inVain && nextDueAt(memory, { now, minIntervalMs: VAIN_MS }) > now;
  const found = await look(checkpoints);
  if (isCrowded(parts, found) && !(patient && found.diskBytes <= leftBytes + maxBytes * VAIN_PART)) return true;
  return checkpoints.isCrowded({ maxSnapshots: maxSnapshots * SLACK, spareBytes: maxBytes - found.diskBytes });
}

async function look(checkpoints: HomeCheckpoints): Promise<CheckpointsFound> {
  return (await checkpoints.look()) ?? { diskBytes: 0, loose: 0 };
}

function isCrowded(parts: HomeParts, { diskBytes, loose }: CheckpointsFound): boolean {
  const { maxBytes = Infinity } = policyFromConfig(parts.config).checkpoints;
  return diskBytes > maxBytes || loose > MANY_LOOSE;
}

/** What a pass leaves for the next. */
interface PassMemory {
  readonly lastAt?: EpochMs;
  /** It left more than there may be, namely this much. */
  readonly inVain?: boolean;
  readonly leftBytes?: number;
}

const MEMORY_KEY = 'checkpoints-pass';

function dueAt({ config, clock }: HomeParts, memory: PassMemory): EpochMs {
  const minIntervalMs = config.checkpoints.min_interval_hours * HOUR_MS;
  return nextDueAt(memory, { now: clock.now(), minIntervalMs });
}

function remember({ store }: HomeParts, memory: PassMemory): Promise<void> {
  return store.setMeta(MEMORY_KEY, JSON.stringify(memory));
}

/** A stamp that is damaged counts as none. */
async function recall({ store }: HomeParts): Promise<PassMemory> {
  try {
    const memory = JSON.parse((await store.getMeta(MEMORY_KEY)) ?? '{}') as PassMemory | null;
    return Number.isSafeInteger(memory?.lastAt) && memory !== null ? memory : {};
  } catch {
    return {};
  }
}

/**
 * Nobody looks at the plan first, so one run takes no more by age than the guard lets it; the next goes on. A limit on size
 * says itself how much goes, and trash that goes was decided about before.
 */
function atMost({ maxItems, maxPart }: GuardRules, plan: Plan): Plan {
  let left = Math.max(maxItems, Math.floor(maxPart * plan.decisions.length));
  const stays = (decision: Decision) => decision.action === 'keep' || goesForGood(decision) || left-- > 0;
  return { ...plan, decisions: plan.decisions.filter(stays) };
}
