import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { SearchedHome, SearchedPart, SearchedSession } from '../../../core/sessions/searched-home.ts';
import type { TranscriptFormat } from '../../../core/sessions/transcript-format.ts';
import { readStretch } from '../../../platform/files/read-stretch.ts';
import { searchedRows } from '../../row-home/searched-rows.ts';
import type { FoundSession } from '../file-agent.ts';
import { fileSessionFacts } from '../file-session-facts.ts';
import type { TreeFile } from '../home-tree.ts';
import type { FileHome } from '../open-file-home.ts';
import { type SearchedArchiveParts, searchedArchive } from './searched-archive.ts';
import { messagesIn } from './messages-in.ts';
import { fileFingerprint, newestOf } from '../session-pieces.ts';

/** The conversations of a home whose sessions are files, or rows of its databases, for an index over them. */
export function searchedFileHome(home: FileHome, archive: SearchedArchiveParts): SearchedHome {
  return {
    async sessions(signal) {
      const { rows, agent } = home;
      if (rows !== undefined) return searchedRows(rows, { source: agent.name, agent: rows.agent }, signal);
      const { sorted } = await home.recentLook();
      signal?.throwIfAborted();
      const format = await home.agent.format();
      return sorted.sessions.map((session) => searchedSession(home, session, format));
    },
    archived: () => searchedArchive(home, archive),
  };
}

function searchedSession(home: FileHome, session: FoundSession, format: TranscriptFormat): SearchedSession {
  return {
    id: session.id,
    stamp: fileFingerprint(session),
    lastActiveAt: newestOf(session.transcripts),
    archived: false,
    parts: session.transcripts.map((file) => filePart(home.home, file, format)),
    facts: async () => fileSessionFacts(home.agent.name, session, { described: await home.describer.one(session) }),
  };
}

function filePart(home: string, file: TreeFile, format: TranscriptFormat): SearchedPart {
  const path = join(home, file.path);
  const { sizeBytes, modifiedAt, inode = 0 } = file;
  const source = { path, sizeBytes, modifiedAt };
  return {
    name: file.path,
    stamp: { sizeBytes, modifiedAt, inode },
    read: (from, signal) =>
      messagesIn(
        from > 0 && format.readFrom !== undefined ? format.readFrom(source, from, signal) : format.read(source, signal),
      ),
    markAt: async (place) => (format.readFrom === undefined || place === 0 ? undefined : markAt(path, place)),
  };
}

const MARK_BYTES = 4096;
const LF = 0x0a;

/** What stands at the beginning of a file and before a place, where that is the end of a line: who adds to a file changes neither. */
function markAt(path: string, place: number): string | undefined {
  const tail = readStretch(path, Math.max(0, place - MARK_BYTES), Math.min(place, MARK_BYTES));
  if (tail === undefined || tail.at(-1) !== LF) return undefined;
  const head = readStretch(path, 0, Math.min(place, MARK_BYTES));
  return head && hash('sha256', Buffer.concat([head, tail]));
}
