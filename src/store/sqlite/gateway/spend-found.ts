import type { Database } from 'better-sqlite3';
import type { Reserved, SpendKey } from '../../../core/gateway/gateway.ts';
import {
  type AddedWith,
  type FoundCounted,
  type FoundSpend,
  type FoundTokens,
  TOKEN_KINDS,
  type UsageNote,
} from '../../../core/gateway/spend-book.ts';
import type { Clock } from '../../../core/time.ts';

interface FoundAdderParts {
  readonly clock: Clock;
  /** Adds amounts, inside a transaction. */
  readonly add: (keys: readonly SpendKey[], amounts: Reserved, also: AddedWith) => UsageNote | undefined;
}

/** Adds calls that agents wrote down themselves: what was counted of each is noted in the transaction that counts it. */
export function foundAdder(
  db: Database,
  { clock, add }: FoundAdderParts,
): (found: FoundSpend) => FoundCounted | undefined {
  const select = db
    .prepare<[string], number[]>('SELECT input, output, cache_read, cache_write, reasoning FROM found WHERE id = ?')
    .raw();
  const write = db.prepare('INSERT OR REPLACE INTO found VALUES (?, ?, ?, ?, ?, ?, ?)');
  /** What goes beyond what was counted before, which counts from now on. Undefined when that is nothing. */
  const grow = (id: string, tokens: FoundTokens): FoundTokens | undefined => {
    const before = select.get(id) ?? [];
    const most = TOKEN_KINDS.map((kind, index) => Math.max(tokens[kind], before[index] ?? 0));
    const added = most.map((amount, index) => amount - (before[index] ?? 0));
    if (added.every((amount) => amount === 0)) return undefined;
    write.run(id, ...most, clock.now());
    return Object.fromEntries(TOKEN_KINDS.map((kind, index) => [kind, added[index] ?? 0])) as FoundTokens;
  };
  const addFound = db.transaction(({ id, tokens, sessionId, keys, countOf, settled, aheadOf }: FoundSpend) => {
    const grown = grow(id, tokens);
    if (grown === undefined) return undefined;
    const { amounts, usage } = countOf(grown);
    const also = { settled, ahead: aheadOf?.(amounts), report: { sessionId, usage } };
    return { amounts, usage, note: add(keys, amounts, also) };
  });
  return (found) => addFound.immediate(found);
}
