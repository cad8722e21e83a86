import type { EpochMs } from '../time.ts';

/** A process that claims sessions; `process` is what its machine knows it by. */
export interface LeaseHolder {
  readonly id: string;
  readonly process: ProcessIdentity;
  readonly heartbeatAt: EpochMs;
  readonly sessionIds: readonly string[];
}

/** Enough to tell a process from every other one, also after its number was given to another. */
export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startedAt: string;
}
