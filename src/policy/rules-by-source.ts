import type { GcRequest, PlanRequest } from '../core/retention/plan.ts';
import type { AfterReset, Policy, SessionRules } from '../core/retention/policy.ts';
import { AMOUNT_RULES, type AmountRule, LIMIT_RULES, type LimitRule } from '../core/retention/session-settings.ts';

/**
 * The rules for one source at a time, made safe: a limit that is zero, negative or not a number is off, and a protection that is
 * not a number protects everything. A request that brings its own limits replaces those of the policy.
 */
export function rulesBySource(policy: Policy, request: PlanRequest): (source: string) => SessionRules {
  const known = new Map<string, SessionRules>();
  return (source) => {
    const found = known.get(source);
    if (found !== undefined) return found;
    const configured = safeRules({
      ...policy.sessions,
      ...(Object.hasOwn(policy.bySource, source) && policy.bySource[source]),
    });
    const rules = request.kind === 'gc' ? gcRules(configured, request) : configured;
    known.set(source, rules);
    return rules;
  };
}

/** The rules for a conversation whose sessions come from several sources: whichever keeps more, rule by rule. */
export function mostLenient(a: SessionRules, b: SessionRules): SessionRules {
  return {
    ...eachLimit(({ rule, ofConversations }) => (ofConversations ? later(a[rule], b[rule]) : a[rule])),
    ...eachAmount((rule) => AMOUNTS[rule].milder(a[rule], b[rule])),
    keepLast: a.keepLast,
    keepTags: [...a.keepTags, ...b.keepTags],
    afterReset: a.afterReset === b.afterReset ? a.afterReset : milder(a.afterReset, b.afterReset),
  };
}

/** How a number that there always is becomes safe, and which of two keeps more. */
const AMOUNTS: Readonly<Record<AmountRule, Readonly<{ safe: (n: number) => number; milder: typeof Math.max }>>> = {
  minAgeMs: { safe: (least) => (least >= 0 ? least : Infinity), milder: Math.max },
  abandonAfterMs: { safe: (after) => limitOf(after) ?? Infinity, milder: Math.max },
  trivialMaxMessages: { safe: (most) => most, milder: Math.min },
};

function eachLimit(limit: (one: (typeof LIMIT_RULES)[number]) => number | undefined) {
  return Object.fromEntries(LIMIT_RULES.map((one) => [one.rule, limit(one)])) as Record<LimitRule, number | undefined>;
}

function eachAmount(amount: (rule: AmountRule) => number) {
  return Object.fromEntries(AMOUNT_RULES.map(({ rule }) => [rule, amount(rule)])) as Record<AmountRule, number>;
}

/** A limit as the rules take it: `undefined` unless it is a positive number. */
export function limitOf(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function safeRules(rules: SessionRules): SessionRules {
  return {
    ...eachLimit(({ rule }) => limitOf(rules[rule])),
    ...eachAmount((rule) => AMOUNTS[rule].safe(rules[rule])),
    keepLast: safeFloor(rules.keepLast),
    keepTags: rules.keepTags,
    afterReset: rules.afterReset,
  };
}

function safeFloor(keepLast: SessionRules['keepLast']): SessionRules['keepLast'] {
  if (keepLast === 'never') return keepLast;
  return Number.isNaN(keepLast) ? Infinity : Math.max(1, keepLast);
}

/**
 * The rules with what a person gave on top. An age that was given goes before the least age; one that was not stays behind it,
 * whatever was given for the other rule.
 */
function gcRules(rules: SessionRules, { emptyMs, trivialMs, trivialMaxMessages }: GcRequest): SessionRules {
  const { minAgeMs } = rules;
  return {
    ...rules,
    emptyMs: emptyMs === undefined ? atLeast(rules.emptyMs, minAgeMs) : limitOf(emptyMs),
    trivialMs: trivialMs === undefined ? atLeast(rules.trivialMs, minAgeMs) : limitOf(trivialMs),
    trivialMaxMessages: trivialMaxMessages ?? rules.trivialMaxMessages,
  };
}

function atLeast(limitMs: number | undefined, leastMs: number): number | undefined {
  return limitMs === undefined ? undefined : Math.max(limitMs, leastMs);
}

/** Of two that differ. */
function milder(a: AfterReset | undefined, b: AfterReset | undefined): AfterReset | undefined {
  return a === undefined || b === undefined ? undefined : 'drop-files';
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}
