import type { GiveBackOptions } from '../stores/session-trash.ts';
import type { Inventory } from './inventory.ts';
import type { ItemOutcome, RunItem } from './run.ts';

export interface ScanOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
  /** Told of every file that the driver looks at one by one, and what it is. */
  readonly onFile?: (file: { readonly kind: string; readonly sizeBytes: number }) => void;
}

/**
 * One kind of home: reads it, takes items out of it, gives them back. It never decides. Each step may be asked for again after
 * a crash, for the same items of the same run, and then finishes what was begun.
 */
export interface HomeDriver {
  scan(options?: ScanOptions): Promise<Inventory>;
  /** Takes items out of sight into the run's trash. Skips what changed since its fingerprint was taken or is in use by now. */
  discard(runId: string, items: readonly RunItem[]): Promise<readonly ItemOutcome[]>;
  /** Puts items back where they were. Skips what would overwrite something that has appeared since. */
  restore(runId: string, items: readonly RunItem[]): Promise<readonly ItemOutcome[]>;
  /** Removes items from the trash for good. */
  purge(runId: string, items: readonly RunItem[]): Promise<readonly ItemOutcome[]>;
  /** Gives what the database no longer needs back to the disk, in short steps. Returns how many bytes. */
  giveBack(options?: GiveBackOptions): Promise<number>;
}
