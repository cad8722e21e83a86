import type { HomeDriver } from '../../../core/retention/home-driver.ts';
import { type ArchivingParts, createArchivingDriver } from '../../../keeping/archive/archiving-driver.ts';
import { createHermesDriver } from '../taking/hermes-driver.ts';
import { hermesTaken } from './hermes-taken.ts';

export interface HermesSessionDriverParts extends Omit<ArchivingParts, 'driverWith' | 'taken'> {
  readonly home: string;
}

/** The driver of a Hermes home together with what Coppice keeps about it. */
export function createHermesSessionDriver({ home, ...parts }: HermesSessionDriverParts): HomeDriver {
  const { clock, layout } = parts;
  return createArchivingDriver({
    ...parts,
    driverWith: (ledger) => createHermesDriver({ home, clock, companion: layout, ...(ledger && { ledger }) }),
    taken: hermesTaken(layout),
  });
}
