import { join } from 'node:path';
import type { EpochMs } from '../../../core/time.ts';
import { type KeptLinks, openLinks } from '../../../keeping/kept-links.ts';
import { type HermesWriter, openHermesWriter } from '../database/hermes-writer.ts';
import { openTombstones, type Tombstones } from '../database/tombstones.ts';
import { inspectHermes } from '../detect-hermes.ts';
import { readIds } from '../sessions/hermes-rows.ts';
import { listSessionFiles, type SessionFiles } from '../sessions/session-files.ts';
import { withHermesLock } from './hermes-lock.ts';
import type { HermesTrash } from './hermes-trash.ts';

/** What the steps that take sessions out of a home and bring them back work with. */
export interface TakeDesk {
  readonly home: string;
  readonly hermes: HermesWriter;
  readonly trash: HermesTrash;
  readonly links: KeptLinks;
  readonly tombstones: Tombstones;
  /** Listed when first asked for: whoever brings sessions back or gives space back needs none of it. */
  readonly files: SessionFiles;
  now(): EpochMs;
}

export interface DeskParts {
  readonly home: string;
  readonly trash: HermesTrash;
  readonly linksPath: string;
  readonly tombstonesPath: string;
  /** Sessions that may be gone from the database while their files are still there. */
  readonly ids: readonly string[];
  now(): EpochMs;
  readonly onHeld?: ((heldMs: number) => void) | undefined;
  /** Says what is wrong with the database. Asked while it is not open for changing. */
  findDamage(): Promise<string | undefined>;
}

/**
 * Works in a Hermes home under the lock that Hermes takes for its own maintenance, with its database open for changing. Gives a
 * sentence instead when that may not be, or cannot be now.
 */
export async function withTakeDesk<T extends object | number>(
  parts: DeskParts,
  work: (desk: TakeDesk) => Promise<T>,
): Promise<T | string> {
  const { home, trash } = parts;
  const busy = 'Hermes is maintaining its database at the moment.';
  return withHermesLock(join(home, LOCK_NAME), busy, async () => {
    const damage = await parts.findDamage();
    if (damage !== undefined) return damage;
    using hermes = openHermesWriter(home, parts);
    const detection = inspectHermes(home, hermes);
    if (detection?.mode !== 'manage') return detection?.reasons[0]?.message ?? 'It is no Hermes home any more.';
    let files: SessionFiles | undefined;
    return await work({
      home,
      hermes,
      trash,
      now: () => parts.now(),
      links: openLinks(home, parts.linksPath),
      tombstones: openTombstones(home, parts.tombstonesPath),
      get files() {
        return (files ??= listSessionFiles(home, new Set([...readIds(hermes), ...parts.ids])));
      },
    });
  });
}

const LOCK_NAME = 'state.db.auto-maintenance.lock';
