import { userInfo } from 'node:os';
import type { AuditRecord } from '../../core/audit.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Audit } from './audit.ts';

/** Puts a command on record that changed who may do what. On the disk when it returns. */
export function noteCommand(
  audit: Audit,
  command: Pick<AuditRecord, 'what' | 'subject' | 'detail'> & { readonly at: EpochMs },
): void {
  audit.note({ ...command, who: userName(), via: 'command', outcome: 'done' });
}

/** The user of the machine; by number where it has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
