import { statSync } from 'node:fs';
import { ballastBytes, keepBallast, releaseBallast } from '../platform/files/ballast.ts';
import { ifPossible } from '../platform/if-possible.ts';
import { freeBytes, isTight } from '../platform/machine/file-system-facts.ts';
import { reserveBytes } from '../policy/pressure/reserve-bytes.ts';
import type { HomeParts } from './home-parts.ts';

type ReserveParts = Pick<HomeParts, 'layout' | 'config' | 'store' | 'foreign' | 'tell'>;

/** Gives up the reserve where the disk is nearly full. Returns how much that was. */
export function makeRoom({ layout }: ReserveParts): number {
  return isTight(layout.root) ? releaseBallast(layout.ballast) : 0;
}

/** Lays the reserve in after a change, or takes away what is no longer needed of it, and tells when it is new or has grown. */
export async function keepReserve(parts: ReserveParts, releasedBytes: number): Promise<void> {
  const { layout, tell } = parts;
  const before = ballastBytes(layout.ballast);
  const target = await targetBytes(parts, releasedBytes);
  // The work is done, and otherwise the next change lays the reserve in.
  ifPossible(() => keepBallast(layout.ballast, target));
  const after = ballastBytes(layout.ballast);
  if (after > before && after > releasedBytes) tell?.(announcement(layout.ballast, { before, after }));
}

/** How much of the reserve is missing that there is room for. */
export async function missingReserveBytes(parts: ReserveParts): Promise<number> {
  return (await targetBytes(parts, 0)) - ballastBytes(parts.layout.ballast);
}

async function targetBytes(parts: ReserveParts, releasedBytes: number): Promise<number> {
  const { layout, config, foreign } = parts;
  const { ballast_mb: megabytes } = config.disk;
  if (megabytes === 'never' || !(await hasSomethingToProtect(parts))) return 0;
  const databases = foreign === undefined ? [layout.database] : [layout.database, ...foreign.databases];
  return reserveBytes({
    databaseBytes: databases.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0),
    maxBytes: megabytes * 1024 * 1024,
    presentBytes: ballastBytes(layout.ballast),
    releasedBytes,
    freeBytes: freeBytes(layout.root),
  });
}

/** The home of another agent has a reserve only while something that Coppice took from it waits in the trash or the archive. */
async function hasSomethingToProtect({ store, foreign }: ReserveParts): Promise<boolean> {
  if (foreign === undefined) return true;
  return (await store.journal.inTrash()).length > 0 || (await store.archive.bundles()).length > 0;
}

function announcement(path: string, { before, after }: { before: number; after: number }): string {
  const size = `${after / 1024 / 1024} MB`;
  const what = before === 0 ? `${size} are kept as a reserve from now on` : `The reserve grew to ${size}`;
  return `${what}, so that removing works on a full disk too (${path}; see disk.ballast_mb).`;
}
