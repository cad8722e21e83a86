import type { Scope } from '../../core/access.ts';
import type { EpochMs } from '../../core/time.ts';

export interface TokenCreateOptions {
  readonly scope: readonly Scope[];
  readonly expires?: EpochMs;
}
