import type { SessionItem } from '../core/retention/inventory.ts';
import type { KeepReason, PlanRequest, RemoveAction, RemoveReason } from '../core/retention/plan.ts';
import type { AfterReset } from '../core/retention/policy.ts';
import { isUsed, USES } from '../core/sessions/in-use.ts';
import { SESSION_HOLDS } from '../core/sessions/session-hold.ts';
import { type Lineage, membersOf } from './find-lineages.ts';
import { givenAge, isFiltered, type RuleContext } from './rule-context.ts';

/** Keeps a whole lineage as soon as it applies to one member; the others say that they stay because of it. */
export interface KeepRule {
  readonly action: 'keep';
  readonly reason: KeepReason;
  readonly inLineage: KeepReason;
  readonly applies: (session: SessionItem, lineage: Lineage, context: RuleContext) => boolean;
  /** Most homes have no such thing, so it is told of only where it speaks. */
  readonly seldom?: true;
}

/** Lets go of a lineage that `fits` and has reached the age limit, where it has one. */
export interface ExpiryRule {
  readonly action: RemoveAction;
  readonly reason: RemoveReason;
  /** The rule would take sessions off the list, so the newest of each group are safe from it. */
  readonly floorStops: boolean;
  readonly fits: (lineage: Lineage, context: RuleContext) => boolean;
  /** Absent for a rule that is not about age; `undefined` is a rule that is off. */
  readonly limitMs?: (lineage: Lineage, context: RuleContext) => number | undefined;
  /** Whether a rule that is not about age is off. */
  readonly isOff?: (lineage: Lineage) => boolean;
}

/** In order: what the request is not about, then the holds, then the tags. What is in use is held also when it is named. */
export const KEEP_RULES: readonly KeepRule[] = [
  keepRule('not-selected', 'lineage-kept', (session, _, { selects }) => !selects(session)),
  ...USES.map((use) => keepRule(use, 'lineage-active', (session) => isUsed(session, use))),
  ...SESSION_HOLDS.map((kind): KeepRule => {
    return { ...keepRule(kind, 'lineage-kept', ({ hold }) => hold?.kind === kind), seldom: true };
  }),
  keepRule('pinned', 'lineage-pinned', ({ pinned }) => pinned),
  keepRule('future', 'lineage-kept', ({ lastActiveAt }, _, { now }) => !(lastActiveAt <= now)),
  keepRule('unreadable', 'lineage-kept', ({ unreadable }) => unreadable === true),
  keepRule(
    'young',
    'young',
    (_, { rules, agesFrom }, { now, overridesMinAge }) => !overridesMinAge && now - agesFrom < rules.minAgeMs,
  ),
  keepRule('tagged', 'lineage-kept', ({ tags }, { rules }) => tags.some((tag) => rules.keepTags.includes(tag))),
];

export const KEEP_LAST = keepRule('keep-last', 'keep-last', () => true);
export const NOT_EXPIRED = keepRule('not-expired', 'not-expired', () => true);
export const DOUBT = keepRule('doubt', 'doubt', () => true);

const EMPTY: ExpiryRule = {
  ...expiry('remove', 'empty'),
  floorStops: false,
  fits: ({ entryCount }) => entryCount === 0,
  limitMs: ({ rules }) => rules.emptyMs,
};
const TRIVIAL: ExpiryRule = {
  ...expiry('remove', 'trivial'),
  floorStops: false,
  fits: ({ entryCount, rules }) => entryCount <= rules.trivialMaxMessages,
  limitMs: ({ rules }) => rules.trivialMs,
};
const RETENTION: ExpiryRule = { ...expiry('remove', 'retention'), limitMs: ({ rules }) => rules.retentionMs };
const ARCHIVE_AGE: ExpiryRule = { ...expiry('archive', 'archive-age'), limitMs: ({ rules }) => rules.archiveAfterMs };
const MAX_SESSIONS: ExpiryRule = {
  ...expiry('remove', 'max-sessions'),
  fits: ({ beyondMax }) => beyondMax,
  isOff: ({ rules }) => rules.maxSessions === undefined,
};
const TRANSCRIPT_RETENTION: ExpiryRule = {
  ...expiry('drop-files', 'transcript-retention'),
  limitMs: ({ rules }) => rules.transcriptRetentionMs,
};
const DUMP_AGE: ExpiryRule = {
  ...expiry('drop-dumps', 'dump-age'),
  limitMs: (_, { dumpsMaxAgeMs }) => dumpsMaxAgeMs,
};

const AFTER_RESET = afterReset(expiry('remove', 'after-reset'), 'remove');
const TRANSCRIPT_AFTER_RESET = afterReset(expiry('drop-files', 'transcript-after-reset'), 'drop-files');

const NAMED: ExpiryRule = { ...expiry('remove', 'named'), floorStops: false };

/** Strongest first, so that what is past its retention is removed rather than archived. */
const POLICY_EXPIRIES = [
  EMPTY,
  TRIVIAL,
  RETENTION,
  AFTER_RESET,
  ARCHIVE_AGE,
  MAX_SESSIONS,
  TRANSCRIPT_RETENTION,
  TRANSCRIPT_AFTER_RESET,
  DUMP_AGE,
];

/**
 * The rules that may let go of sessions under a request. A person who names an id goes before `keepLast`; one who asks for many
 * at once does not. Without a filter and an age, the matching rule of the policy stands in for them.
 */
export function expiriesFor(request: PlanRequest): readonly ExpiryRule[] {
  if (request.kind === 'policy') return POLICY_EXPIRIES;
  if (request.kind === 'gc') return [EMPTY, TRIVIAL];
  if (request.kind === 'delete') return [NAMED];
  if (!('filter' in request)) return [];
  const unlimited = givenAge(request) === undefined && !isFiltered(request);
  if (request.kind === 'archive') return [unlimited ? ARCHIVE_AGE : expiry('archive', 'selected')];
  if (request.part === 'files') return [unlimited ? TRANSCRIPT_RETENTION : expiry('drop-files', 'selected')];
  return [unlimited ? RETENTION : expiry('remove', 'selected')];
}

/** A rule that lets go of whatever it is asked about, where there is anything to let go of. */
function expiry(action: RemoveAction, reason: RemoveReason): ExpiryRule {
  const drops = action === 'drop-files' || action === 'drop-dumps';
  const fits = drops
    ? (lineage: Lineage) => membersOf(lineage).some((member) => droppedBytes(member, action) > 0)
    : () => true;
  return { action, reason, floorStops: !drops, fits };
}

/** A rule about conversations that were started afresh, where this is what becomes of those. */
function afterReset(rule: ExpiryRule, wanted: AfterReset): ExpiryRule {
  const isOff = ({ rules }: Lineage) => rules.afterReset !== wanted;
  return {
    ...rule,
    isOff,
    fits: (lineage, context) => !isOff(lineage) && lineage.newest.reset === true && rule.fits(lineage, context),
  };
}

/** The bytes of the files that a drop takes from a session. */
export function droppedBytes({ bytes }: SessionItem, action: 'drop-files' | 'drop-dumps'): number {
  return action === 'drop-files' ? bytes.transcript + bytes.dumps : bytes.dumps;
}

function keepRule(reason: KeepReason, inLineage: KeepReason, applies: KeepRule['applies']): KeepRule {
  return { action: 'keep', reason, inLineage, applies };
}
