import { join } from 'node:path';
import { groupsOf } from '../../core/retention/groups-of.ts';
import type { RunItem } from '../../core/retention/run.ts';
import type { ArchiveCodec, ArchiveMember } from '../../core/stores/session-archive.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { HomeMemory, SessionRecords } from '../../core/stores/session-records.ts';
import type { Clock } from '../../core/time.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { lookAhead } from '../look-ahead.ts';
import type { OwnLayout } from '../own-layout.ts';
import { ArchiveBundle, AT_ONCE } from './archive-bundle.ts';
import { shelfOf } from './shelf/shelf-of.ts';
import type { ArchiveObjects } from './shelf/object-place.ts';
import { archiveLines, type SomeLines } from './archive-lines.ts';
import { packMember } from './archive-member.ts';

/** Larger sessions are compressed straight into the bundle, one at a time, so that memory stays small. */
const IN_MEMORY_BYTES = 4 * 1024 * 1024;

export interface BundleParts {
  readonly store: Pick<SessionReader, 'get'> & Pick<SessionRecords, 'archive'> & HomeMemory;
  readonly layout: OwnLayout;
  readonly clock: Clock;
  readonly codec: ArchiveCodec;
  /** Where bundles go; into the home itself where this is absent. */
  readonly objects?: ArchiveObjects | undefined;
}

type LinedParts = BundleParts & { readonly linesOf: LinesOf };

/** Says what a member holds. */
export type LinesOf = (runId: string, item: RunItem) => AsyncIterable<SomeLines>;

/** Where the store itself holds the sessions, and each has a folder with files. */
export interface StoredParts extends BundleParts {
  readonly layout: OwnLayout & { sessionDir(id: string): string };
}

/** Where a session is bundled, and the lines that describe its files; or why it is not. */
export type Bundled = { readonly item: RunItem } & (
  | { readonly member: ArchiveMember; readonly files: readonly string[] }
  | { readonly detail: string }
);

/** Writes sessions into bundles and reads them back. What one session meets does not stop the others. */
export async function bundleSessions(
  parts: LinedParts,
  runId: string,
  items: readonly RunItem[],
): Promise<readonly Bundled[]> {
  const bundled: Bundled[] = [];
  for (const group of groupsOf(items)) {
    try {
      bundled.push(...(await bundleGroup(parts, runId, group)));
    } catch (error) {
      const detail = errorSentence(error);
      bundled.push(...group.map((item) => ({ item, detail })));
    }
  }
  return bundled;
}

async function bundleGroup(parts: LinedParts, runId: string, items: readonly RunItem[]): Promise<Bundled[]> {
  using bundle = new ArchiveBundle(parts.layout, parts.clock.now());
  const bundled: Bundled[] = [];
  const added: RunItem[] = [];
  for await (const { item, add } of lookAhead(items, AT_ONCE, (each) => packAhead(parts, runId, each))) {
    try {
      await add(bundle);
      added.push(item);
    } catch (error) {
      bundled.push({ item, detail: errorSentence(error) });
    }
  }
  const checked = added.length === 0 ? [] : await bundle.finish(shelfOf(parts));
  return [...bundled, ...added.flatMap((item, at) => (checked[at] === undefined ? [] : { item, ...checked[at] }))];
}

interface Packed {
  readonly item: RunItem;
  readonly add: (bundle: ArchiveBundle) => Promise<unknown>;
}

/** Compresses a session of ordinary size in memory, while another is being written. */
async function packAhead(parts: LinedParts, runId: string, item: RunItem): Promise<Packed> {
  const { codec, store, linesOf } = parts;
  const pack = (write: (data: Uint8Array) => void) =>
    packMember(linesOf(runId, item), { codec, sizeHint: item.sizeBytes, write });
  const label = { id: item.item.id, title: (await store.get(item.item.id))?.title, codec };
  if (item.sizeBytes > IN_MEMORY_BYTES) return { item, add: (bundle) => bundle.add(label, pack) };
  const chunks: Uint8Array[] = [];
  try {
    const facts = await pack((data) => chunks.push(data));
    const write = (to: (data: Uint8Array) => void) => {
      for (const chunk of chunks) to(chunk);
      return facts;
    };
    return { item, add: (bundle) => bundle.add(label, write) };
  } catch (error) {
    return { item, add: () => Promise.reject(error) };
  }
}

/** What there is of a session that the store holds. */
export function storedLines(
  { store, layout }: StoredParts,
  runId: string,
  { number, item }: RunItem,
): AsyncIterable<SomeLines> {
  // A crash may have left the files in the trash already.
  const places = [join(layout.trash(runId), String(number)), layout.sessionDir(item.id)];
  const openDirectory = () => {
    for (const place of places) {
      const directory = openBelow(layout.root, place);
      if (directory !== undefined) return directory;
    }
    return undefined;
  };
  return archiveLines(store.archive.documents(item.id), openDirectory);
}
