import type { Inventory } from '../../core/retention/inventory.ts';
import type { GuardMemory, Waiting } from '../../core/retention/maintenance.ts';
import { type Decision, isRemoval, type Plan, type Removal } from '../../core/retention/plan.ts';
import type { Policy } from '../../core/retention/policy.ts';
import type { EpochMs } from '../../core/time.ts';
import { conversationOf } from '../find-lineages.ts';
import { lossesIn, lossOf } from '../plan-losses.ts';
import { planRetention } from '../plan-retention.ts';
import { announce, announcedBy } from './guard-notices.ts';
import { type PutOff, waitingReasons } from './guard-reasons.ts';
import { emptiedGroups, itemLimits, passesAnyway, pressureIsCounted } from './guard-rules.ts';

export interface GuardOptions {
  /** What the plan was made from. */
  readonly inventory: Inventory;
  readonly policy: Policy;
  readonly memory: GuardMemory;
  /** How far passes are apart. */
  readonly intervalMs: number;
  /** A person looked and lets all of it go. */
  readonly allow?: boolean;
}

/** The part of a plan that goes now, what waits, and what the next pass must know. */
export interface GuardedPlan {
  readonly allowed: Plan;
  readonly waiting?: Waiting;
  readonly memory: GuardMemory;
}

/**
 * Slows down what nobody has looked at. As much as the limits allow goes now, the cheapest and oldest first; the rest is
 * announced and goes at its date, unless a person holds it. So whatever piled up is gone after a known number of passes.
 */
export function guardPlan(plan: Plan, options: GuardOptions): GuardedPlan {
  const { policy, memory, allow } = options;
  const now = plan.madeAt;
  // A person has seen all of it, so nothing is new or held any more.
  if (allow) return { allowed: plan, memory: { lastAt: now, policy } };
  const { heldSince } = memory;
  const before = rulesBefore(options, now);
  const waits = whatWaits(plan, { ...options, before: before?.policy });
  const next: GuardMemory = { lastAt: now, policy, ...(before && { before }), ...(heldSince && { heldSince }) };
  if (waits.reasonOf.size === 0) return { allowed: plan, memory: next };
  const { notices, until } = heldSince === undefined ? announce(waits.reasonOf.keys(), options, now) : NO_NOTICES;
  const waiting = [...waits.reasonOf.keys()];
  return {
    allowed: { ...plan, decisions: plan.decisions.filter((one) => !waits.reasonOf.has(one as Removal)) },
    waiting: {
      items: waiting.length,
      sizeBytes: waiting.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      reasons: waitingReasons(waits, heldSince),
      ...(until !== undefined && { until }),
    },
    memory: { ...next, notices },
  };
}

const NOTHING: PutOff = { reasonOf: new Map(), tooMany: [], emptied: [] };
/** What is held is not announced: once it is let go, its notice begins anew. */
const NO_NOTICES = { notices: [], until: undefined };

function whatWaits(plan: Plan, options: GuardOptions & { before: Policy | undefined }): PutOff {
  const { memory, inventory } = options;
  const going = plan.decisions.filter(isRemoval).filter((one) => !passesAnyway(one));
  if (going.length === 0) return NOTHING;
  if (memory.heldSince !== undefined) return all(going, 'held');
  if (memory.policy === undefined) return all(going, 'first-run');
  const atOnce = putOff(going, { ...options, plan });
  if (atOnce.reasonOf.size === 0) return NOTHING;
  const announced = announcedBy(memory.notices ?? [], { inventory, at: plan.madeAt });
  return putOff(
    going.filter((one) => !announced(one)),
    { ...options, plan },
  );
}

type Judging = GuardOptions & { readonly plan: Plan; readonly before: Policy | undefined };

/** What has to wait of all that was not announced for long enough. */
function putOff(going: readonly Removal[], options: Judging): PutOff {
  const reasonOf: PutOff['reasonOf'] = new Map();
  const emptied = emptiedGroups(options.plan, options.inventory, options.policy);
  const stricter = newlyGoing(going, options);
  for (const one of going) {
    if (stricter.has(one)) reasonOf.set(one, 'stricter-policy');
    else if (one.reason === 'trash-size') reasonOf.set(one, 'trash-size');
    else if (one.item.kind === 'session' && emptied.ids.has(one.item.id)) reasonOf.set(one, 'empties-group');
  }
  const tooMany = putOffTooMany(going, { ...options, reasonOf });
  return { reasonOf, tooMany, emptied: emptied.groups };
}

function all(going: readonly Removal[], kind: 'held' | 'first-run'): PutOff {
  return { ...NOTHING, reasonOf: new Map(going.map((one) => [one, kind])) };
}

/** Puts off what is beyond the limits. A conversation goes as a whole or not at all. */
function putOffTooMany(going: readonly Removal[], options: Judging & Pick<PutOff, 'reasonOf'>): PutOff['tooMany'] {
  const { inventory, policy, plan, reasonOf } = options;
  const counted = going.filter(
    ({ reason, action }) => action !== 'drop-dumps' && (reason !== 'pressure' || pressureIsCounted(inventory, policy)),
  );
  const limits = itemLimits(plan.decisions, options);
  const sessions = counted.filter(({ item }) => item.kind === 'session').length;
  if (sessions <= limits.sessions && counted.length <= limits.items) return [];
  let [roomForSessions, roomForItems] = [limits.sessions, limits.items];
  for (const together of cheapestFirst(counted, inventory)) {
    const ofSessions = together.filter(({ item }) => item.kind === 'session').length;
    const waits = together.some((one) => reasonOf.has(one));
    if (!waits && ofSessions <= roomForSessions && together.length <= roomForItems) {
      roomForSessions -= ofSessions;
      roomForItems -= together.length;
      continue;
    }
    for (const one of together) reasonOf.set(one, reasonOf.get(one) ?? 'too-many');
  }
  const ofSessions = sessions > limits.sessions;
  // Where all of it are sessions, the second would say the same once more.
  const ofItems = counted.length > limits.items && !(ofSessions && counted.length === sessions);
  return [
    ...(ofSessions ? [{ of: 'sessions', count: sessions, limit: limits.sessions } as const] : []),
    ...(ofItems ? [{ of: 'items', count: counted.length, limit: limits.items } as const] : []),
  ];
}

/** Parts of one conversation together; what costs least first, and of that the oldest, which is the order of the plan. */
function cheapestFirst(counted: readonly Removal[], { sessions }: Inventory): readonly Removal[][] {
  const conversation = conversationOf(sessions);
  const together = new Map<string, Removal[]>();
  for (const one of counted) {
    const key =
      one.item.kind === 'session' ? `session ${conversation(one.item.id)}` : `${one.item.kind} ${one.item.id}`;
    const others = together.get(key);
    if (others === undefined) together.set(key, [one]);
    else others.push(one);
  }
  return [...together.values()].toSorted((a, b) => costOf(a) - costOf(b));
}

function costOf(together: readonly Removal[]): number {
  return Math.max(...together.map(lossOf));
}

/** The rules that what goes now is compared with: those before the last change, until that was announced for long enough. */
function rulesBefore({ policy, memory }: GuardOptions, now: EpochMs): GuardMemory['before'] {
  const until = now + policy.guard.noticeMs;
  const changed = memory.policy !== undefined && JSON.stringify(memory.policy) !== JSON.stringify(policy);
  const known = memory.before !== undefined && memory.before.until > now ? memory.before : undefined;
  if (!changed) return known;
  return { policy: known?.policy ?? memory.policy ?? policy, until };
}

/** What goes now and stayed under the rules before, or goes altogether now and lost only files then. */
function newlyGoing(
  going: readonly Removal[],
  { inventory, before }: { inventory: Inventory; before: Policy | undefined },
): ReadonlySet<Decision> {
  if (before === undefined) return new Set();
  const lossBefore = lossesIn(planRetention(inventory, { policy: before, now: inventory.scannedAt }));
  return new Set(going.filter((one) => lossOf(one) > lossBefore(one)));
}
