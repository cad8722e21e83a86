import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { WriteLine } from '../writing/write-line.ts';

/** Changes totals, one after the other, of all machines. */
export type SpendTurn = <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;

/**
 * Whoever changes the totals of a home holds one row of it until that is done. So what a step is judged by is what stands when it is
 * counted, whoever else asks, and nothing has to be undone because two looked at once.
 */
export function spendTurn(db: Database): SpendTurn {
  const line = new WriteLine();
  return (work) =>
    line.run(() =>
      db.write(async (tx) => {
        await tx.get('SELECT space FROM coppice.spend_turn WHERE space = :space FOR UPDATE');
        return work(tx);
      }),
    );
}
