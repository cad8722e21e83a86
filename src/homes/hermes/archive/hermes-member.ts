import { basename, dirname } from 'node:path';
import {
  archiveLines,
  isAboutFiles,
  linesIn,
  parseArchiveLine,
  type SomeLines,
} from '../../../keeping/archive/archive-lines.ts';
import { inspectMember, memberStretches } from '../../../keeping/archive/archive-member.ts';
import type { MemberFile } from '../../../keeping/archive/shelf/bundle-shelf.ts';
import { ArchiveUnpack } from '../../../keeping/archive/archive-unpack.ts';
import type { OwnLayout } from '../../../keeping/own-layout.ts';
import { openBelow } from '../../../platform/files/directory-handle.ts';
import { syncDir } from '../../../platform/files/private-files.ts';
import { ownFolder } from '../taking/taken-places.ts';
import { putTaken, type StoredSession, type TakenWriter } from '../taking/taken-session.ts';

/**
 * What an archive holds of a session of a Hermes home: the lines of its record as they stand in the trash, its prompt, and then
 * its files as in every archive.
 */
export function hermesMemberLines(
  { root }: Pick<OwnLayout, 'root'>,
  stored: StoredSession | undefined,
): AsyncIterable<SomeLines> {
  if (stored === undefined) throw new Error('a session that was taken is not in the trash');
  return archiveLines(wrapped(stored), () => openBelow(root, stored.directory));
}

function* wrapped({ record, prompt }: StoredSession): Generator<SomeLines> {
  for (const line of record) yield [`${RECORD}${line}}`];
  for (const line of prompt?.lines ?? []) yield [`${PROMPT}${JSON.stringify(prompt?.hash)},"line":${line}}`];
}

const RECORD = '{"kind":"record","line":';
const PROMPT = '{"kind":"prompt","hash":';

export interface Unpacking {
  readonly layout: OwnLayout;
  readonly runId: string;
  readonly number: number;
}

/** Puts an archived session into the trash of a run: its files, then its record, which makes it count. Fails if it is damaged. */
export async function unpackHermesMember(
  { layout, runId, number }: Unpacking,
  { path, member }: Pick<MemberFile, 'path' | 'member'>,
): Promise<void> {
  await inspectMember(path, member);
  const directory = ownFolder(layout.trash(runId), number);
  using above = openBelow(layout.root, dirname(directory), { create: true });
  using files = new ArchiveUnpack({ above, name: basename(directory) });
  using taken = putTaken({ home: layout.root, root: layout.trash(runId) }, number);
  for await (const stretch of memberStretches(path, member)) {
    for (const line of linesIn(stretch)) takeLine(line, { taken, files });
  }
  files.finish();
  above.sync();
  syncDir(dirname(above.path));
  taken.seal();
}

function takeLine(
  line: Buffer,
  { taken, files }: { readonly taken: TakenWriter; readonly files: ArchiveUnpack },
): void {
  const text = line.toString('utf8');
  if (text.startsWith(RECORD)) {
    taken.record(text.slice(RECORD.length, -1));
    return;
  }
  if (text.startsWith(PROMPT)) {
    const { hash, line: value } = JSON.parse(text) as { hash: string; line: unknown };
    taken.prompt(hash, JSON.stringify(value));
    return;
  }
  const parsed = parseArchiveLine(line);
  if (isAboutFiles(parsed)) files.take(parsed);
}
