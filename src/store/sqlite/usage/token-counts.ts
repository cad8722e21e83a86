import type { CountedUsage } from '../../../core/stores/usage-book.ts';
import { TOKEN_COLUMNS } from './usage-schema.ts';

/** Tokens in the order of their columns, and billionths of a dollar; null where the price is not known. */
export interface Counts {
  readonly tokens: readonly number[];
  readonly nanoUsd: number | null;
}

export type CountsRow = Readonly<Record<(typeof TOKEN_COLUMNS)[number], number>> & { readonly nano_usd: number | null };

export const NO_TOKENS: readonly number[] = TOKEN_COLUMNS.map(() => 0);

export function countsOf(usage: CountedUsage): Counts {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, nanoUsd } = usage;
  return {
    tokens: [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens],
    nanoUsd: nanoUsd ?? null,
  };
}

export function rowCounts(row: CountsRow): Counts {
  return { tokens: TOKEN_COLUMNS.map((column) => row[column]), nanoUsd: row.nano_usd };
}

export function namedTokens([input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0]: readonly number[]) {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoning,
  };
}

/** Of each kind the most that anybody said. */
export function mostOf(a: Counts, b: Counts): Counts {
  return {
    tokens: a.tokens.map((count, index) => Math.max(count, b.tokens[index] ?? 0)),
    nanoUsd: a.nanoUsd === null || b.nanoUsd === null ? (a.nanoUsd ?? b.nanoUsd) : Math.max(a.nanoUsd, b.nanoUsd),
  };
}

export function minus(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((count, index) => count - (b[index] ?? 0));
}

export function sumOf(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((count, index) => count + (b[index] ?? 0));
}

/** All tokens: reasoning is a part of the output. */
export function totalOf(tokens: readonly number[]): number {
  return tokens.slice(0, -1).reduce((sum, count) => sum + count, 0);
}
