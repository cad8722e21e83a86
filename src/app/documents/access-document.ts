import type { AuditRecord } from '../../core/audit.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import type { TokenRecord } from '../access/token-record.ts';

/** A token for programs: never its hash, which is of no use to anybody. */
export function tokenDocument({ name, scopes, createdAt, expiresAt }: TokenRecord, now: EpochMs) {
  return {
    name,
    scopes,
    createdAt: isoTime(createdAt),
    ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt), expired: expiresAt <= now }),
  };
}

/** A line of the audit log for programs. */
export function auditDocument({ at, ...record }: AuditRecord) {
  return { at: isoTime(at), ...record };
}
