import type { RuleCheck } from '../core/retention/plan.ts';
import { type Lineage, membersOf } from './find-lineages.ts';
import { inDoubt, type RuleContext } from './rule-context.ts';
import {
  DOUBT,
  type ExpiryRule,
  expiriesFor,
  KEEP_LAST,
  KEEP_RULES,
  type KeepRule,
  NOT_EXPIRED,
} from './session-rules.ts';

type SessionRule = KeepRule | ExpiryRule;

/** The rule that decides about a lineage: the first that applies and that nothing stops. */
export function judgeLineage(lineage: Lineage, context: RuleContext): SessionRule {
  for (const rule of KEEP_RULES) if (keeps(rule, lineage, context)) return rule;
  for (const rule of expiriesFor(context.request)) {
    if (!isDue(rule, lineage, context)) continue;
    const stop = stopOf(rule, lineage, context);
    if (stop === undefined) return rule;
    if (stop === 'doubt') return DOUBT;
  }
  return lineage.inFloor ? KEEP_LAST : NOT_EXPIRED;
}

/** What every rule says of a lineage, in the order in which they are asked. */
export function traceLineage(lineage: Lineage, context: RuleContext): RuleCheck[] {
  const kept = KEEP_RULES.flatMap((rule) => {
    const met = keeps(rule, lineage, context);
    return rule.seldom === true && !met ? [] : [{ rule: rule.reason, met }];
  });
  const expired = expiriesFor(context.request).map((rule) => {
    const met = isDue(rule, lineage, context);
    const limitMs = rule.limitMs?.(lineage, context);
    const stoppedBy = met ? stopOf(rule, lineage, context) : undefined;
    const off = rule.limitMs === undefined ? rule.isOff?.(lineage) === true : limitMs === undefined;
    return {
      rule: rule.reason,
      met,
      ...(off && { off }),
      ...(limitMs !== undefined && { limitMs }),
      ...(stoppedBy !== undefined && { stoppedBy }),
    };
  });
  return [...kept, ...expired, { rule: KEEP_LAST.reason, met: lineage.inFloor }];
}

function keeps(rule: KeepRule, lineage: Lineage, context: RuleContext): boolean {
  for (const member of membersOf(lineage)) if (rule.applies(member, lineage, context)) return true;
  return false;
}

function isDue(rule: ExpiryRule, lineage: Lineage, context: RuleContext): boolean {
  if (rule.limitMs === undefined) return rule.fits(lineage, context);
  const limitMs = rule.limitMs(lineage, context);
  return limitMs !== undefined && context.now - lineage.agesFrom >= limitMs && rule.fits(lineage, context);
}

function stopOf(rule: ExpiryRule, lineage: Lineage, context: RuleContext): RuleCheck['stoppedBy'] {
  if (rule.floorStops && lineage.inFloor) return 'keep-last';
  return inDoubt(rule, context) ? 'doubt' : undefined;
}
