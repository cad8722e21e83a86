import type { ArchiveItem, Inventory, SessionItem } from '../core/retention/inventory.ts';
import type { KeepReason, PlanRequest, RemoveReason } from '../core/retention/plan.ts';
import type { CheckpointRules, Policy, SessionRules } from '../core/retention/policy.ts';
import { filterMatch } from '../core/sessions/filter-match.ts';
import type { EpochMs } from '../core/time.ts';
import { agesFrom } from './ages-from.ts';
import { type CheckpointFacts, checkpointFacts } from './checkpoint-facts.ts';
import { limitOf, rulesBySource } from './rules-by-source.ts';

/** What a plan is made from, beside the inventory. */
export interface PlanOptions {
  readonly policy: Policy;
  readonly now: EpochMs;
  /** All rules of the policy, unless a person asks for something else. */
  readonly request?: PlanRequest;
}

/** What every rule may look at. */
export interface RuleContext {
  readonly now: EpochMs;
  readonly request: PlanRequest;
  /** Which sessions the request is about. */
  readonly selects: (session: SessionItem) => boolean;
  /** A person named an id or an age, which goes before the least age, and before nothing else. */
  readonly overridesMinAge: boolean;
  readonly activityUnknown: boolean;
  readonly clockSuspect: boolean;
  readonly rulesFor: (source: string) => SessionRules;
  /** The least age of what belongs to no source. */
  readonly minAgeMs: number;
  readonly dumpsMaxAgeMs: number | undefined;
  readonly archiveRetentionMs: number | undefined;
  /** Whether a person named this archived session. */
  readonly names: (archive: ArchiveItem) => boolean;
  readonly checkpoints: CheckpointFacts;
}

/** Everything about a request that is the same for all items, worked out once. */
export function ruleContext(
  { doubts, checkpoints }: Inventory,
  { policy, now, request = { kind: 'policy' } }: PlanOptions,
): RuleContext {
  const { minAgeMs } = policy.sessions;
  const ids = new Set(request.kind === 'delete' ? request.ids : []);
  return {
    now,
    request,
    selects: selection(request, ids),
    overridesMinAge: overridesMinAge(request),
    activityUnknown: doubts.includes('activity-unknown'),
    clockSuspect: doubts.includes('clock-suspect'),
    rulesFor: rulesBySource(policy, request),
    minAgeMs: minAgeMs >= 0 ? minAgeMs : Infinity,
    dumpsMaxAgeMs: limitOf(policy.dumps.maxAgeMs),
    archiveRetentionMs: limitOf(policy.archive.retentionMs),
    names: ({ id }) => ids.has(id),
    checkpoints: checkpointFacts(checkpoints, { rules: checkpointRules(policy, request), now }),
  };
}

/** While the clock is in doubt, only what a person names goes: every other rule leans on an age, be it the least age. */
export function inDoubt(
  { reason }: { readonly reason: RemoveReason | KeepReason },
  { activityUnknown, clockSuspect }: RuleContext,
): boolean {
  return activityUnknown || (clockSuspect && reason !== 'named');
}

function overridesMinAge(request: PlanRequest): boolean {
  if (request.kind === 'gc') return request.emptyMs !== undefined || request.trivialMs !== undefined;
  return request.kind === 'delete' || givenAge(request) !== undefined;
}

/** The age a person gave: an instant before which sessions were last used. */
export function givenAge(request: PlanRequest): EpochMs | undefined {
  return request.kind === 'prune' || request.kind === 'archive' ? request.before : undefined;
}

function newerThan(request: PlanRequest): EpochMs | undefined {
  return request.kind === 'prune' || request.kind === 'archive' ? request.after : undefined;
}

/** Whether a person narrowed the request down at all. */
export function isFiltered(request: PlanRequest): boolean {
  if (!('filter' in request)) return false;
  return newerThan(request) !== undefined || Object.values(request.filter).some((value) => value !== undefined);
}

/** The rules for checkpoints under a request that may bring its own limits. */
export function checkpointRules({ checkpoints }: Policy, request: PlanRequest): CheckpointRules {
  if (request.kind !== 'checkpoints') return checkpoints;
  const { retentionMs, maxSnapshots, maxBytes } = checkpoints;
  return {
    retentionMs: request.retentionMs ?? retentionMs,
    maxSnapshots: request.maxSnapshots ?? maxSnapshots,
    maxBytes: request.maxBytes ?? maxBytes,
  };
}

function selection(request: PlanRequest, ids: ReadonlySet<string>): (session: SessionItem) => boolean {
  if (request.kind === 'policy') return () => true;
  if (request.kind === 'delete') return ({ id }) => ids.has(id);
  if (!('filter' in request)) return () => false;
  const before = givenAge(request);
  const after = newerThan(request);
  const matches = filterMatch(request.filter);
  return (session) =>
    matches(session) &&
    (before === undefined || agesFrom(session) < before) &&
    (after === undefined || agesFrom(session) >= after);
}
