import { join } from 'node:path';
import { trimIndexes } from '../checkpoints/index-cache.ts';
import { type CheckpointStore, findStore } from '../checkpoints/open-store.ts';
import { MANY_LOOSE } from '../checkpoints/reclaim-plan.ts';
import { SNAPSHOTS } from '../checkpoints/store-layout.ts';
import { readRefs } from '../checkpoints/store-refs.ts';
import { walkStore } from '../checkpoints/store-size.ts';
import { errorText } from '../core/error-text.ts';
import { Failure } from '../core/failure.ts';
import { nextDueAt } from '../core/maintenance.ts';
import { isRemoval, type Plan } from '../core/plan.ts';
import type { GuardRules } from '../core/policy.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { createSharedLock } from '../store/sqlite/sqlite-shared-lock.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';
import type { HomeParts } from './home-parts.ts';
import { policyFromConfig } from './policy-from-config.ts';
import type { Retention } from './retention.ts';

/** What looking after the limits of checkpoints came to. */
export type BoundsReport =
  | { readonly status: 'off' | 'within' | 'busy' }
  | { readonly status: 'done'; readonly removed: number; readonly freedBytes: number; readonly runId?: string }
  | { readonly status: 'failed'; readonly error: string };

/**
 * Holds the checkpoints of a home within their limits, unattended: looks, which costs little, and where a limit is exceeded or
 * a pass is due, makes a run of the one engine. Folders that are gone are left to a person. Never rejects.
 */
export async function keepCheckpointsBounded(parts: HomeParts, retention: Retention): Promise<BoundsReport> {
  try {
    if (!parts.config.checkpoints.auto_prune) return { status: 'off' };
    const store = findStore(checkpointStoreOptions(parts));
    if (store === undefined) return { status: 'within' };
    // Many processes may take at once, and one of them looks after the limits.
    using _pass = await createSharedLock(join(store.layout.root, 'pass.db')).alone(0);
    const need = await lookAround(parts, store);
    if (need === 'nothing') return { status: 'within' };
    // Written first: a pass that fails must not be tried again after every checkpoint.
    await remember(parts, { lastAt: parts.clock.now() });
    return await pass(parts, retention, need);
  } catch (error) {
    if (error instanceof Failure && error.code === 'locked') return { status: 'busy' };
    return { status: 'failed', error: errorText(error) };
  }
}

async function pass(parts: HomeParts, retention: Retention, need: 'rules' | 'space'): Promise<BoundsReport> {
  const reclaimed = need === 'space' ? await retention.reclaimCheckpoints() : 0;
  const { guard } = policyFromConfig(parts.config);
  const plan = atMost(guard, await retention.plan({ kind: 'checkpoints', keepOrphans: true }));
  const goes = plan.decisions.some(isRemoval);
  const run = goes ? await retention.apply(plan) : undefined;
  const freedBytes = reclaimed + (run?.freedBytes ?? 0);
  if (need === 'space' && (plan.shortfalls.length > 0 || freedBytes <= 0))
    await remember(parts, { lastAt: parts.clock.now(), inVain: true });
  return { status: 'done', removed: run?.done ?? 0, freedBytes, ...(run && { runId: run.run.id }) };
}

/** A project may have this much more than `max_snapshots` until a run takes them back, so that not every take brings one. */
const SLACK = 1.25;
/** Where looking for space was in vain, it is not looked for again before this. */
const VAIN_MS = 10 * MINUTE_MS;

/** Whether anything is to be done. Space comes first: packing may be all it takes. */
async function lookAround(parts: HomeParts, store: CheckpointStore): Promise<'nothing' | 'rules' | 'space'> {
  const memory = await recall(parts);
  const { maxSnapshots = Infinity, maxBytes = Infinity } = policyFromConfig(parts.config).checkpoints;
  const now = parts.clock.now();
  if (memory.inVain !== true || nextDueAt(memory, { now, minIntervalMs: VAIN_MS }) <= now) {
    const { diskBytes, loose } = await walkStore(store.layout);
    if (diskBytes > maxBytes || loose.size > MANY_LOOSE) return 'space';
    trimIndexes(store.layout, maxBytes - diskBytes);
  }
  const counts = new Map<string, number>();
  for (const name of (await readRefs(store.layout)).keys()) {
    const [project = ''] = name.startsWith(`${SNAPSHOTS}/`) ? name.slice(SNAPSHOTS.length + 1).split('/') : [];
    if (project !== '') counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  if ([...counts.values()].some((count) => count > maxSnapshots * SLACK)) return 'rules';
  const minIntervalMs = parts.config.checkpoints.min_interval_hours * HOUR_MS;
  return nextDueAt(memory, { now, minIntervalMs }) <= now ? 'rules' : 'nothing';
}

/** What a pass leaves for the next. */
interface PassMemory {
  readonly lastAt?: number;
  readonly inVain?: boolean;
}

const MEMORY_KEY = 'checkpoints-pass';

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

/** Nobody looks at the plan first, so one run takes no more than the guard lets it; the next goes on. */
function atMost({ maxItems, maxPart }: GuardRules, plan: Plan): Plan {
  let left = Math.max(maxItems, Math.floor(maxPart * plan.decisions.length));
  return { ...plan, decisions: plan.decisions.filter(({ action }) => action === 'keep' || left-- > 0) };
}
