import type { HomeDriver } from '../../core/retention/home-driver.ts';
import { done, skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import { IN_USE } from '../../core/sessions/in-use.ts';
import type { ArchiveCodec, ArchiveMember, SealRequest } from '../../core/stores/session-archive.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { sessionFingerprint } from '../../core/stores/session-trash.ts';
import type { Clock } from '../../core/time.ts';
import { bundleSessions } from './bundle-sessions.ts';
import { dropDeadBundles } from './drop-dead-bundles.ts';
import type { OwnLayout } from '../own-layout.ts';
import { dropCopy, NO_FILES } from '../session-copy.ts';
import type { CopySession } from '../copy-session.ts';
import type { MemberFile } from './shelf/bundle-shelf.ts';
import type { ArchiveObjects } from './shelf/object-place.ts';
import type { SomeLines } from './archive-lines.ts';

/** What a driver of another agent's home has in the trash of a run. */
export interface TakenSessions {
  /** What is there of these items, ready to be read. */
  open(runId: string, numbers: readonly number[]): Promise<OpenTaken>;
  /** Whether all of an item is there. */
  has(runId: string, number: number): Promise<boolean>;
  /** Puts an archived session there as if it had just been taken, in place of whatever a crash left. Fails if the bundle is damaged. */
  unpack(runId: string, number: number, file: Pick<MemberFile, 'path' | 'member'>): Promise<void>;
}

export interface OpenTaken extends Disposable {
  /** What an archive keeps of an item. */
  lines(number: number): AsyncIterable<SomeLines>;
}

export interface ArchiveTakenParts {
  /** Takes sessions out of the home and brings them back, and writes nothing about it anywhere else. */
  readonly driver: HomeDriver;
  readonly taken: TakenSessions;
  /** The sessions of the home. */
  readonly from: SessionReader;
  /** Coppice's own records about it, in which archived sessions are known by their facts and by what people asked. */
  readonly store: SessionStore;
  readonly layout: OwnLayout;
  readonly clock: Clock;
  readonly codec: ArchiveCodec;
  readonly objects?: ArchiveObjects | undefined;
  readonly copySession: CopySession;
}

/**
 * Archives sessions of another agent's home. What there is to know about each is copied first; then it goes into the trash of the run,
 * where nothing changes any more; from there into a bundle that is read back from the disk; and only once it counts as archived
 * the trash lets go of it. Whatever goes wrong before that brings it back. Each step can be asked for again after a crash.
 */
export async function archiveTaken(
  parts: ArchiveTakenParts,
  runId: string,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  const { driver, store } = parts;
  const outcomes: ItemOutcome[] = [];
  const fresh: RunItem[] = [];
  for (const item of items) {
    const sealed = (await store.archive.find(runId, item.number)) !== undefined;
    const obstacle = sealed ? undefined : await copySession(parts, runId, item);
    if (obstacle !== undefined) outcomes.push(skip(item, obstacle));
    else if (!sealed) fresh.push(item);
    else outcomes.push(done(item));
  }
  const taken = fresh.length === 0 ? [] : await driver.discard(runId, fresh.map(asRemoval));
  outcomes.push(...taken.filter(({ status }) => status !== 'done'));
  const { archived, failed } = await bundleTaken(parts, runId, pick(fresh, taken, 'done'));
  outcomes.push(...archived);
  const back =
    failed.length === 0
      ? []
      : await driver.restore(
          runId,
          failed.map(({ item }) => asRemoval(item)),
        );
  // What is neither archived nor back keeps its copy: it is in the trash, and the next attempt goes on from there.
  for (const { item, detail } of failed) outcomes.push(isDone(back, item) ? skip(item, detail) : stuck(item, detail));
  for (const item of pick(fresh, outcomes, 'skipped')) await dropCopy(store, { runId, ...requestOf(item) });
  const settled = items.filter((item) => isDone(outcomes, item));
  // As what they are: an archived session may come back, so the driver goes on remembering its children.
  if (settled.length > 0) await driver.purge(runId, settled);
  return outcomes;
}

/** What its agent wrote is in the archive alone; what lists, searches and statistics need is here too. A sentence when it cannot be. */
async function copySession(
  { from, store, copySession: copy }: ArchiveTakenParts,
  runId: string,
  item: RunItem,
): Promise<string | undefined> {
  const facts = await from.get(item.item.id);
  if (facts === undefined || facts.archivedAt !== undefined) return 'It is gone already.';
  // Its copy would be open too, and what is open stays wherever it is.
  if (facts.endedAt === undefined) return IN_USE.open;
  // Its family stays where it is, and what was taken of it knows it.
  const { parentId: _, childKind: __, ...alone } = facts;
  for (let attempt = 1; ; attempt += 1) {
    const { status, message } = await copy(store, alone, from);
    if (status === 'copied') return undefined;
    if (status === 'failed' || attempt > 1) return message ?? 'It could not be copied.';
    await dropCopy(store, { runId, ...requestOf(item) });
  }
}

interface BundledTaken {
  readonly archived: readonly ItemOutcome[];
  readonly failed: readonly { readonly item: RunItem; readonly detail: string }[];
}

async function bundleTaken(parts: ArchiveTakenParts, runId: string, items: readonly RunItem[]): Promise<BundledTaken> {
  const { store } = parts;
  using opened = await parts.taken.open(
    runId,
    items.map(({ number }) => number),
  );
  const linesOf = (_: string, { number }: RunItem) => opened.lines(number);
  const bundled = await bundleSessions({ ...parts, linesOf }, runId, items);
  const requests: SealRequest[] = [];
  const failed: { item: RunItem; detail: string }[] = [];
  for (const one of bundled) {
    if ('detail' in one) failed.push(one);
    else requests.push(await sealRequest(store, one));
  }
  const sealed = await store.archive.seal(runId, requests, { files: NO_FILES, deadHolders: [] });
  for (const item of items) {
    const outcome = sealed.find(({ number }) => number === item.number);
    if (outcome?.status === 'skipped') failed.push({ item, detail: outcome.detail });
  }
  await dropDeadBundles(
    parts,
    requests.flatMap(({ member }) => member?.bundle ?? []),
  );
  return { archived: sealed.filter(({ status }) => status === 'done'), failed };
}

async function sealRequest(
  store: SessionStore,
  { item, member }: { readonly item: RunItem; readonly member: ArchiveMember },
): Promise<SealRequest> {
  const copy = await store.get(item.item.id);
  return { ...requestOf(item), fingerprint: copy === undefined ? '' : sessionFingerprint(copy), member };
}

/** What the driver of the home itself has to do for an item that goes into the archive. */
export function asRemoval(item: RunItem): RunItem {
  return { ...item, action: 'remove' };
}

function requestOf({ number, item }: RunItem): { readonly number: number; readonly id: string } {
  return { number, id: item.id };
}

function isDone(outcomes: readonly ItemOutcome[], { number }: RunItem): boolean {
  return outcomes.some((outcome) => outcome.number === number && outcome.status === 'done');
}

function pick(items: readonly RunItem[], outcomes: readonly ItemOutcome[], status: ItemOutcome['status']): RunItem[] {
  const numbers = new Set(outcomes.filter((outcome) => outcome.status === status).map(({ number }) => number));
  return items.filter(({ number }) => numbers.has(number));
}

function stuck({ number }: RunItem, detail: string): ItemOutcome {
  return { number, status: 'unfinished', detail: `${detail} It is in the trash, and the next run tries again.` };
}
