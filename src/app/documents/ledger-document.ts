import type { LedgerRecord } from '../../core/stores/ledger-book.ts';
import { usageOf } from '../ledger.ts';
import { timed } from './timed.ts';

/** What a removed session had used, as programs see it. */
export function ledgerDocument(record: LedgerRecord) {
  return { ...timed(record, 'startedAt', 'lastActiveAt', 'endedAt', 'removedAt'), usage: usageOf(record) };
}
