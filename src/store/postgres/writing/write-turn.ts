import type { Sql } from '../database/sql.ts';

/** Carries out changes in a transaction, when all that the same store was asked for before has been. */
export type WriteTurn = <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
