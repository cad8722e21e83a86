import { linkSync, mkdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { SearchedBatch, SearchedSession } from '../../../core/sessions/searched-home.ts';
import type { ArchivedSession } from '../../../core/stores/session-archive.ts';
import type { SessionStore } from '../../../core/stores/session-store.ts';
import type { Clock } from '../../../core/time.ts';
import { DirectoryHandle } from '../../../platform/files/directory-handle.ts';
import { temporaryFolder } from '../../../platform/leftovers/temporary-folder.ts';
import { isAboutFiles, linesIn, parseArchiveLine } from '../../archive/archive-lines.ts';
import { memberStretches } from '../../archive/archive-member.ts';
import { ArchiveUnpack } from '../../archive/archive-unpack.ts';
import type { BundleShelf } from '../../archive/shelf/bundle-shelf.ts';
import type { ArchiveObjects } from '../../archive/shelf/object-place.ts';
import { shelfOf } from '../../archive/shelf/shelf-of.ts';
import type { OwnLayout } from '../../own-layout.ts';
import { takenRecordIn } from '../file-taken.ts';
import { messagesIn } from './messages-in.ts';
import type { FileHome } from '../open-file-home.ts';
import { FILES, type TakenPiece, type TakenRecord } from '../taken-record.ts';

export interface SearchedArchiveParts {
  /** Coppice's own records about the home. */
  readonly records: () => SessionStore;
  readonly layout: OwnLayout;
  readonly clock: Clock;
  readonly objects?: ArchiveObjects | undefined;
}

/** Archived conversations. Each is unpacked, read and removed again: nothing of it stays outside its bundle. */
export async function* searchedArchive(
  home: FileHome,
  { records, ...parts }: SearchedArchiveParts,
): AsyncGenerator<SearchedSession> {
  const shelf = shelfOf({ ...parts, store: records() });
  for await (const archived of records().archive.list()) {
    const { session, member } = archived;
    yield {
      id: session.id,
      stamp: member.sha256,
      lastActiveAt: session.lastActiveAt,
      archived: true,
      parts: [
        {
          name: 'archive',
          stamp: { sizeBytes: member.plainBytes, modifiedAt: 0, inode: 0 },
          read: (_from, signal) => messagesOf(home, { archived, shelf }, signal),
          markAt: async () => undefined,
        },
      ],
      facts: async () => session,
    };
  }
}

async function* messagesOf(
  home: FileHome,
  { archived: { member }, shelf }: { readonly archived: ArchivedSession; readonly shelf: BundleShelf },
  signal: AbortSignal | undefined,
): AsyncGenerator<SearchedBatch> {
  const format = await home.agent.format();
  using place = temporaryFolder('coppice-read');
  const record = await unpackInto(place.path, shelf, member);
  for (const { path, as, files } of record.pieces.filter(({ role }) => role === 'transcript')) {
    const own = ownPath(place.path, path, as);
    const [{ sizeBytes, modifiedAt } = { sizeBytes: 0, modifiedAt: 0 }] = files;
    if (own !== undefined) yield* messagesIn(format.read({ path: own, sizeBytes, modifiedAt }, signal));
  }
}

/** Some agents tell what a file is by its name and folder, so it is read under its own. */
function ownPath(place: string, path: TakenPiece['path'], as: string): string | undefined {
  const inside = normalize(path);
  if (inside.startsWith('..') || inside.startsWith('/')) return undefined;
  const own = join(place, 'home', inside);
  mkdirSync(dirname(own), { recursive: true, mode: 0o700 });
  linkSync(join(place, as), own);
  return own;
}

async function unpackInto(
  place: string,
  shelf: BundleShelf,
  archived: ArchivedSession['member'],
): Promise<TakenRecord> {
  await using bundle = await shelf.open(archived);
  const { path, member } = bundle;
  let record: TakenRecord | undefined;
  using above = DirectoryHandle.open(place);
  using files = new ArchiveUnpack({ above, name: FILES });
  for await (const stretch of memberStretches(path, member)) {
    for (const line of linesIn(stretch)) {
      const known = record === undefined ? takenRecordIn(line) : undefined;
      if (known !== undefined) {
        record = known;
        continue;
      }
      const parsed = parseArchiveLine(line);
      if (isAboutFiles(parsed)) files.take(parsed);
    }
  }
  files.finish();
  if (record === undefined) throw new Error('an archive of files has no record of them');
  return record;
}
