import type {
  Counter,
  GuardName,
  Scope,
  ToolCount,
  Verdict,
  VerdictCause,
  VerdictKind,
} from '../core/gateway/gateway.ts';
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
  if (rule in GUARD_FACTS) return GUARD_FACTS[rule as GuardName](cause);
  const amount = AMOUNTS[rule as Counter];
  return `${WHOSE[scope]} used ${amount(used)} of ${amount(limit)}${beside(cause, amount)}.`;
}

/** Why a limit that is not reached allows no further call. */
function beside({ used, limit, reserved = 0, needs }: VerdictCause, amount: (of: number) => string): string {
  if (used >= limit || needs === undefined) return '';
  const others = reserved > 0 ? `, calls under way have set ${amount(reserved)} aside` : '';
  return `${others}, and the next call needs about ${amount(needs)}`;
}

const GUARD_FACTS: Readonly<Record<GuardName, (cause: VerdictCause) => string>> = {
  'tool-errors': ({ used, tools = [] }) =>
    tools.length === 1 && tools[0]?.count === used
      ? `${theTool(tools)} failed ${used} times in a row.`
      : `The last ${used} tool calls failed${tools.length === 0 ? '' : `: ${tools.map(failures).join(', ')}`}.`,
  'same-tool': ({ used, tools = [] }) => `${theTool(tools)} was called ${used} times, with no other in between.`,
  'repeated-calls': ({ used, tools = [] }) =>
    `${theTool(tools)} was called ${used} times in a row with the same arguments.`,
  'messages-per-minute': ({ used, limit }) => tooFast(`took ${count(used)} messages`, count(limit)),
  'tokens-per-minute': ({ used, limit }) => tooFast(`used ${count(used)} tokens`, count(limit)),
  'tokens-per-hour': ({ used, limit }) => tooFast(`used ${count(used)} tokens`, count(limit), 'an hour'),
  'bytes-per-minute': ({ used, limit }) => tooFast(`grew by ${megabytes(used)}`, megabytes(limit)),
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

const AMOUNTS: Readonly<Record<Counter, (amount: number) => string>> = {
  messages: (amount) => `${count(amount)} messages`,
  bytes: megabytes,
  tokens: (amount) => `${count(amount)} tokens`,
  nanoUsd: (amount) => `$${(amount / 1e9).toFixed(amount < SMALL_NANO_USD ? 4 : 2)}`,
  iterations: (amount) => `${count(amount)} steps`,
  wallMs: (amount) =>
    amount < MINUTE_MS ? `${(amount / SECOND_MS).toFixed(1)} seconds` : `${(amount / MINUTE_MS).toFixed(1)} minutes`,
};

const WHOSE: Readonly<Record<Scope, string>> = {
  session: 'This session has',
  source: 'The sessions of this source have today',
  day: 'All sessions together have today',
  model: 'This model has today',
};

function tooFast(what: string, limit: string, time = 'a minute'): string {
  return `This session ${what} within ${time}, and ${limit} is too fast.`;
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** A limit in dollars cannot be kept while nobody says what the tokens cost. */
export function noPrice(model: string, used: number): Verdict {
  return verdictOf('warn', { rule: 'no-price', scope: 'model', used, limit: 0, model });
}
