import type { Decision, PlanRequest } from '../core/retention/plan.ts';
import { givenAge, isFiltered, type RuleContext } from './rule-context.ts';

const CLOCK_IN_DOUBT =
  'Nothing goes because of its age, because the clock of this machine may be wrong. Set it. If it is right, it is believed once the home has been used for a day.';

/** What a person should read before anything else about a plan, the missing age first of all. */
export function planNotes(decisions: readonly Decision[], context: RuleContext): string[] {
  const { request, activityUnknown, clockSuspect } = context;
  const notes = missingAge(request);
  if (activityUnknown) notes.push('Nothing is removed, because it is not known which sessions are in use.');
  if (clockSuspect) notes.push(CLOCK_IN_DOUBT);
  const parts = request.kind === 'policy' ? 0 : decisions.filter(({ reason }) => reason === 'lineage-kept').length;
  if (parts > 0) {
    notes.push(
      `${parts === 1 ? '1 session stays' : `${parts} sessions stay`} because other sessions of the same conversation do. A conversation goes only as a whole.`,
    );
  }
  return notes;
}

const UNOWNED = '; files that no session owns go after sessions.min_age_hours';

function missingAge(request: PlanRequest): string[] {
  if ((request.kind !== 'prune' && request.kind !== 'archive') || givenAge(request) !== undefined) return [];
  if (isFiltered(request)) {
    return ['No age limit is in force: every session that matches is taken, unless something holds it.'];
  }
  const setting =
    request.kind === 'archive'
      ? 'sessions.archive_after_days'
      : request.part === 'files'
        ? 'sessions.transcript_retention_days'
        : 'sessions.retention_days';
  const orphans = request.kind === 'prune' && request.part === 'files' ? UNOWNED : '';
  return [`No age and no filter were given, so the configured ${setting} decides${orphans}.`];
}
