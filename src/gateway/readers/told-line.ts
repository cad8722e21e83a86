import type { FoundTokens } from '../../core/gateway/spend-book.ts';
import type { EpochMs } from '../../core/time.ts';

/** A call of a model that an agent wrote down. */
export interface FoundCall {
  /** Names the call wherever it is told: the id that the provider or the agent gave it. */
  readonly id: string;
  /** When it was made. What does not say so cannot be told from what was copied. */
  readonly at: EpochMs;
  readonly model: string;
  readonly tokens: FoundTokens;
}

/** What one line of an agent's own file tells. */
export interface ToldLine {
  /** Where the agent works, as its files name it. */
  readonly place?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly call?: FoundCall | undefined;
}

/** Reads the lines of one file in order: some say what later ones leave out. */
export type LineReader = (line: Fields) => ToldLine;

export type Fields = Readonly<Record<string, unknown>>;

/** The fields at the end of a path of names; none where the path leads nowhere. */
export function fieldsAt(value: unknown, ...path: readonly string[]): Fields {
  const found = path.reduce<unknown>((at, name) => (isFields(at) ? at[name] : undefined), value);
  return isFields(found) ? found : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number of tokens; anything else is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** A call, where the line names it, says when it was made, and it used something that one call can use. */
export function callOf(told: {
  readonly id: string | undefined;
  readonly at: unknown;
  readonly model: unknown;
  readonly tokens: FoundTokens;
}): FoundCall | undefined {
  const at = Date.parse(textOf(told.at) ?? '');
  const { id, tokens } = told;
  const sum = Object.values(tokens).reduce((all, amount) => all + amount, 0);
  if (id === undefined || id.length > MOST_ID || Number.isNaN(at) || sum === 0 || sum > MOST_TOKENS) return undefined;
  return { id, at, model: textOf(told.model) ?? 'unknown', tokens };
}

const MOST_ID = 200;
/** More than this no call of a model uses. */
const MOST_TOKENS = 10_000_000;
