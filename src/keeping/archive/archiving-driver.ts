import { basename } from 'node:path';
import type { HomeDriver, ScanOptions } from '../../core/retention/home-driver.ts';
import { type Doubt, type Inventory, movePart } from '../../core/retention/inventory.ts';
import { done, doneUnless } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import type { LedgerBook } from '../../core/stores/ledger-book.ts';
import type { ArchiveCodec } from '../../core/stores/session-archive.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { trashRequest } from '../../core/stores/trash-request.ts';
import type { Clock } from '../../core/time.ts';
import { dropDeadBundles } from './drop-dead-bundles.ts';
import { rewriteBundles } from './rewrite-bundles.ts';
import { scanArchive } from './scan-archive.ts';
import { judgeClock } from '../liveness/clock-watch.ts';
import type { OwnLayout } from '../own-layout.ts';
import { trashItems } from '../trash-items.ts';
import type { CopySession } from '../copy-session.ts';
import type { ArchiveObjects } from './shelf/object-place.ts';
import { archiveTaken, type ArchiveTakenParts, type TakenSessions } from './archive-taken.ts';
import { restoreTaken } from './restore-taken.ts';

export interface ArchivingParts {
  /**
   * The driver of the home itself. It writes down in the ledger what it takes, where it is given one: what goes into the archive is
   * not gone, so the ledger hears nothing of that.
   */
  readonly driverWith: (ledger?: LedgerBook) => HomeDriver;
  readonly taken: TakenSessions;
  /** The sessions of the home, and Coppice's own records about it. */
  readonly store: SessionStore;
  readonly companion: () => SessionStore;
  readonly layout: OwnLayout;
  readonly clock: Clock;
  readonly codec: ArchiveCodec;
  readonly objects?: ArchiveObjects | undefined;
  readonly copySession: CopySession;
}

/**
 * The driver of another agent's home together with what Coppice keeps about it: the home itself knows nothing of earlier runs, of the
 * archive, and of the time that runs saw.
 */
export function createArchivingDriver(parts: ArchivingParts): HomeDriver {
  const { store, driverWith } = parts;
  const driver = driverWith(ledgerOf(store));
  const quiet = driverWith();
  const archiving = (): ArchiveTakenParts => ({ ...parts, driver: quiet, from: store, store: parts.companion() });
  return {
    ...driver,
    scan: (options) => scanAll(parts, driver, options),
    async discard(runId, items) {
      const { sessions, archives, archived, debris } = sort(items);
      return [
        ...(await ifAny(debris, (some) => dropDebris(archiving(), some))),
        ...(await ifAny(archives, (some) => store.archive.hide(runId, some.map(trashRequest)))),
        ...(await ifAny(sessions, (some) => driver.discard(runId, some))),
        ...(await ifAny(archived, (some) => archiveTaken(archiving(), runId, some))),
      ];
    },
    async restore(runId, items) {
      const { sessions, archives, archived } = sort(items);
      return [
        ...(await ifAny(archives, (some) => store.archive.show(runId, some.map(trashRequest)))),
        ...(await ifAny(sessions, (some) => driver.restore(runId, some))),
        ...(await ifAny(archived, (some) => restoreTaken(archiving(), runId, some))),
      ];
    },
    async purge(runId, items) {
      const { sessions, archives, debris } = sort(items);
      const bundles = archives.length === 0 ? [] : await store.archive.bundles();
      const outcomes: ItemOutcome[] = [...archives, ...debris].map(done);
      outcomes.push(...(await ifAny(sessions, (some) => driver.purge(runId, some))));
      await store.trash.drop(runId, archives.map(trashRequest));
      await dropDeadBundles(
        archiving(),
        bundles.map(({ name }) => name),
      );
      return outcomes;
    },
    async giveBack(options) {
      const ofRecords = await parts.companion().trash.giveBack(options);
      return (await rewriteBundles(archiving(), options)) + (await driver.giveBack()) + ofRecords;
    },
  };
}

/** What the home holds, with runs, archives and what the clock has seen. */
async function scanAll(parts: ArchivingParts, driver: HomeDriver, options?: ScanOptions): Promise<Inventory> {
  const { store, layout, clock } = parts;
  const inventory = await driver.scan(options);
  const suspect = (await judgeClock(store, clock)) === 'suspect';
  const doubts: readonly Doubt[] = suspect ? [...inventory.doubts, 'clock-suspect'] : inventory.doubts;
  const { archives, debris, problems } = await scanArchive(parts.companion(), layout);
  const bytes = debris.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    ...inventory,
    trash: await trashItems({ store }),
    archives,
    strays: [...inventory.strays, ...debris],
    problems: [...inventory.problems, ...problems],
    // What is left of archives is in their folder, which was measured as a whole.
    disk: movePart(inventory.disk, { from: 'archives', to: 'strays', bytes }),
    doubts,
  };
}

/** What the home's own driver deals with, archives that go, sessions that become archives, and what is left of such attempts. */
function sort(items: readonly RunItem[]) {
  const archived = items.filter(({ action }) => action === 'archive');
  const archives = items.filter(({ item }) => item.kind === 'archive');
  const debris = items.filter(({ item }) => item.kind === 'debris' && item.id.startsWith(ARCHIVE));
  const others = new Set([...archived, ...archives, ...debris]);
  return { sessions: items.filter((item) => !others.has(item)), archives, archived, debris };
}

/** With what the ids of its debris begin. A home has debris of its own elsewhere. */
export const ARCHIVE = 'archive/';

/** Plans let debris go for good, so there is no trash for it. */
async function dropDebris(parts: ArchiveTakenParts, items: readonly RunItem[]): Promise<readonly ItemOutcome[]> {
  const { debris } = await scanArchive(parts.store, parts.layout);
  const known = new Set(debris.map(({ id, fingerprint }) => `${fingerprint} ${id}`));
  const same = items.filter(({ item, fingerprint }) => known.has(`${fingerprint} ${item.id}`));
  await dropDeadBundles(
    parts,
    same.map(({ item }) => basename(item.id)),
  );
  return items.map((item) =>
    doneUnless(item, same.includes(item) ? undefined : 'It has changed since the plan was made.'),
  );
}

async function ifAny(
  items: readonly RunItem[],
  act: (items: readonly RunItem[]) => Promise<readonly ItemOutcome[]>,
): Promise<readonly ItemOutcome[]> {
  return items.length === 0 ? [] : act(items);
}

/** Asked each time, because the records may be made only by the change that writes to them. */
function ledgerOf(store: SessionStore): LedgerBook {
  return {
    write: (runId, entries) => store.ledgerBook.write(runId, entries),
    erase: (runId, ids) => store.ledgerBook.erase(runId, ids),
    forgetNames: (runId) => store.ledgerBook.forgetNames(runId),
  };
}
