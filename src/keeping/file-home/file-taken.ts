import { join } from 'node:path';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { removeTree } from '../../platform/files/remove-tree.ts';
import { syncAll } from '../../platform/files/sync-all.ts';
import type { TakenSessions } from '../archive/archive-taken.ts';
import { archiveLines, isAboutFiles, linesIn, parseArchiveLine, type SomeLines } from '../archive/archive-lines.ts';
import { inspectMember, memberStretches } from '../archive/archive-member.ts';
import type { MemberFile } from '../archive/shelf/bundle-shelf.ts';
import { ArchiveUnpack } from '../archive/archive-unpack.ts';
import type { OwnLayout } from '../own-layout.ts';
import { FILES, parseRecord, readRecord, SECRETS, type TakenRecord, writeRecord } from './taken-record.ts';

/** What the trash of a run has of sessions that are files: a record, and the files as they were. Secrets are left out of archives. */
export function fileTaken(home: string, layout: OwnLayout): TakenSessions {
  const placeOf = (runId: string, number: number) => join(layout.trash(runId), String(number));
  return {
    async open(runId) {
      return { lines: (number) => memberLines(home, placeOf(runId, number)), [Symbol.dispose]: () => undefined };
    },
    async has(runId, number) {
      return readRecord(home, placeOf(runId, number)) !== undefined;
    },
    async unpack(runId, number, file) {
      await removeTree(home, placeOf(runId, number));
      await unpack(home, placeOf(runId, number), file);
    },
  };
}

/** Bundles hold documents of sessions by their kinds; this one is the record of where its files were. */
const RECORD = '{"kind":"record","line":';

function memberLines(home: string, place: string): AsyncIterable<SomeLines> {
  const record = readRecord(home, place);
  if (record === undefined) throw new Error('a session that was taken is not in the trash');
  const pieces = record.pieces.filter(({ as }) => !as.startsWith(`${SECRETS}/`));
  const line = JSON.stringify({ ...record, pieces } satisfies TakenRecord);
  // Which of them may have other names was judged before they were taken.
  return archiveLines([[`${RECORD}${line}}`]], () => openBelow(home, join(place, FILES)), { linked: true });
}

/** The record in a line of an archive; undefined where it is about something else. */
export function takenRecordIn(line: Buffer): TakenRecord | undefined {
  if (line.toString('utf8', 0, RECORD.length) !== RECORD) return undefined;
  return parseRecord(line.toString('utf8').slice(RECORD.length, -1));
}

/** Its files first, then its record, which makes them count. */
async function unpack(
  home: string,
  place: string,
  { path, member }: Pick<MemberFile, 'path' | 'member'>,
): Promise<void> {
  await inspectMember(path, member);
  let record: TakenRecord | undefined;
  {
    using above = openBelow(home, place, { create: true });
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
    above.sync();
  }
  if (record === undefined) throw new Error('an archive of files has no record of them');
  const root = join(place, '..');
  await syncAll([...writeRecord(home, place, record), root, join(root, '..'), join(root, '../..')]);
}
