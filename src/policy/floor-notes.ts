import type { SessionItem } from '../core/retention/inventory.ts';
import type { Decision, PlanRequest } from '../core/retention/plan.ts';
import { HOUR_MS } from '../core/time.ts';
import { givenAge, isFiltered, type RuleContext } from './rule-context.ts';

/**
 * Which settings kept something that a person asked for, and the way round each. Without a filter or an age the settings are what was
 * asked for, so there is nothing to tell.
 */
export function floorNotes(
  decisions: readonly Decision[],
  sessions: readonly SessionItem[],
  context: RuleContext,
): readonly string[] {
  if (!isExplicit(context.request)) return [];
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return FLOORS.flatMap(({ reason, setting, valuesOf, wayRound }) => {
    if (reason === 'keep-last' && takesFilesOnly(context.request)) return [];
    const kept = decisions.flatMap((decision) => {
      const session = decision.item.kind === 'session' ? byId.get(decision.item.id) : undefined;
      return decision.reason === reason && session !== undefined ? [session] : [];
    });
    if (kept.length === 0) return [];
    const values = [...new Set(kept.flatMap((session) => valuesOf(session, context)))].toSorted();
    const count = kept.length === 1 ? '1 session stays' : `${kept.length} sessions stay`;
    return [`${count} because of ${setting}: ${values.join(', ')}. ${wayRound}`];
  });
}

interface Floor {
  readonly reason: Decision['reason'];
  readonly setting: string;
  readonly valuesOf: (session: SessionItem, context: RuleContext) => readonly string[];
  readonly wayRound: string;
}

const FLOORS: readonly Floor[] = [
  {
    reason: 'keep-last',
    setting: 'sessions.keep_last',
    valuesOf: ({ source }, { rulesFor }) => [String(rulesFor(source).keepLast)],
    wayRound: 'It keeps the newest of each source and project. To take them too: --set sessions.keep_last=never',
  },
  {
    reason: 'tagged',
    setting: 'sessions.keep_tags',
    valuesOf: ({ source, tags }, { rulesFor }) => tags.filter((tag) => rulesFor(source).keepTags.includes(tag)),
    wayRound: 'To let one go, take the tag off: coppice sessions tag ID --remove TAG',
  },
  {
    reason: 'young',
    setting: 'sessions.min_age_hours',
    valuesOf: ({ source }, { rulesFor }) => [String(rulesFor(source).minAgeMs / HOUR_MS)],
    wayRound: 'To go before it, give an age, such as --older-than 1h',
  },
];

function isExplicit(request: PlanRequest): boolean {
  if (request.kind === 'delete') return true;
  return (
    (request.kind === 'prune' || request.kind === 'archive') && (givenAge(request) !== undefined || isFiltered(request))
  );
}

/** The newest lose their files like others. */
function takesFilesOnly(request: PlanRequest): boolean {
  return request.kind === 'prune' && request.part === 'files';
}
