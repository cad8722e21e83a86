import type { Scope, ToolCount, Verdict, VerdictCause, VerdictKind } from '../core/gateway/gateway.ts';
import { type Flow, GUARDS, isGuard, isRate, type RateName, type StreakName } from '../core/gateway/guards.ts';
import { type Counter, type Form, LIMITS } from '../core/gateway/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../core/time.ts';

/** A verdict in words that a model can follow: all that happened, then the one thing to do. */
export function verdictOf(kind: Exclude<VerdictKind, 'ok'>, ...causes: readonly VerdictCause[]): Verdict {
  return { kind, causes, say: `${factsOf({ causes })} ${NEXT_STEP[kind]}` };
}

/** What happened, for the person who watches: without what the model should do about it. */
export function factsOf({ causes }: Pick<Verdict, 'causes'>): string {
  return causes.map(fact).join(' ');
}

const NEXT_STEP = {
  nudge: 'Try another way.',
  warn: 'Finish what matters most, or ask the user how to go on.',
  reset: 'A fresh conversation follows: sum up what it must know.',
  stop: 'Stop here and tell the user why.',
} as const;

function fact(cause: VerdictCause): string {
  const { rule, scope, used, limit } = cause;
  if (rule === 'no-price')
    return `What ${quoted(cause.model ?? 'this model')} costs is not known, so no limit in dollars can stop it: set its price under prices in config.yaml.`;
  if (isGuard(rule)) return isRate(rule) ? tooFast(rule, cause) : STREAK_FACTS[rule](cause);
  const amount = (of: number) => withNoun(rule, of);
  return `${WHOSE[scope]} used ${amount(used)} of ${amount(limit)}${beside(cause, amount)}.`;
}

/** Why a limit that is not reached allows no further call. */
function beside({ used, limit, reserved = 0, needs }: VerdictCause, amount: (of: number) => string): string {
  if (used >= limit || needs === undefined) return '';
  const others = reserved > 0 ? `, calls under way have set ${amount(reserved)} aside` : '';
  return `${others}, and the next call needs about ${amount(needs)}`;
}

const STREAK_FACTS: Readonly<Record<StreakName, (cause: VerdictCause) => string>> = {
  'tool-errors': ({ used, tools = [] }) =>
    tools.length === 1 && tools[0]?.count === used
      ? `${theTool(tools)} failed ${used} times in a row.`
      : `The last ${used} tool calls failed${tools.length === 0 ? '' : `: ${tools.map(failures).join(', ')}`}.`,
  'same-tool': ({ used, tools = [] }) => `${theTool(tools)} was called ${used} times, with no other in between.`,
  'repeated-calls': ({ used, tools = [] }) =>
    `${theTool(tools)} was called ${used} times in a row with the same arguments.`,
};

function theTool([tool]: readonly ToolCount[]): string {
  return tool === undefined ? 'The same tool' : `The tool ${quoted(tool.name)}`;
}

function failures({ name, count: times }: ToolCount): string {
  return `${quoted(name)} ${times === 1 ? 'once' : `${times} times`}`;
}

/** A model chooses the name, and people and models read it: nothing in it may look like anything but a name. */
function quoted(name: string): string {
  return `\`${name.replaceAll(/[\p{C}\p{Z}`]+/gu, ' ').trim()}\``;
}

/** Amounts below this would look alike in whole cents. */
const SMALL_NANO_USD = 1e8;

const AMOUNTS: Readonly<Record<Form, (amount: number) => string>> = {
  count,
  tokens: count,
  bytes: megabytes,
  usd: (amount) => `$${(amount / 1e9).toFixed(amount < SMALL_NANO_USD ? 4 : 2)}`,
  time: (amount) =>
    amount < MINUTE_MS ? `${(amount / SECOND_MS).toFixed(1)} seconds` : `${(amount / MINUTE_MS).toFixed(1)} minutes`,
};

function withNoun(counter: Counter, amount: number): string {
  const { form, noun } = LIMITS[counter];
  return form === 'count' || form === 'tokens' ? `${count(amount)} ${noun}` : AMOUNTS[form](amount);
}

const WHOSE: Readonly<Record<Scope, string>> = {
  session: 'This session has',
  source: 'The sessions of this source have today',
  day: 'All sessions together have today',
  model: 'This model has today',
};

/** What a session did too fast. */
const DID: Readonly<Record<Flow, string>> = { messages: 'took', tokens: 'used', bytes: 'grew by' };

function tooFast(rule: RateName, { used, limit }: VerdictCause): string {
  const { of, perMs } = GUARDS[rule];
  const time = perMs === MINUTE_MS ? 'a minute' : 'an hour';
  return `This session ${DID[of]} ${withNoun(of, used)} within ${time}, and ${AMOUNTS[LIMITS[of].form](limit)} is too fast.`;
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** A limit in dollars cannot be kept while nobody says what the tokens cost. */
export function noPrice(kind: 'warn' | 'stop', model: string, used: number): Verdict {
  return verdictOf(kind, { rule: 'no-price', scope: 'model', used, limit: 0, model });
}
