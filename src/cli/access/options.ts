import type { Scope } from '../../core/access.ts';
import type { EpochMs } from '../../core/time.ts';

export interface AuditOptions {
  readonly since?: EpochMs;
  readonly who?: string;
  readonly limit?: number;
}

export interface TokenCreateOptions {
  readonly scope: readonly Scope[];
  readonly expires?: EpochMs;
}
