import type { LedgerRecord } from '../../core/sessions/ledger-book.ts';
import { isoTime } from '../../core/time.ts';
import { usageOf } from '../ledger.ts';

/** What a removed session had used, as programs see it. */
export function ledgerDocument(record: LedgerRecord) {
  const { startedAt, lastActiveAt, endedAt, removedAt } = record;
  return {
    ...record,
    startedAt: isoTime(startedAt),
    lastActiveAt: isoTime(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    removedAt: isoTime(removedAt),
    usage: usageOf(record),
  };
}
