import type { JsonObject } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import { CHILD_KINDS } from '../../core/sessions/session.ts';
import type { Line } from '../../platform/text/read-lines.ts';
import { EXPORT_VERSION } from './export/export-jsonl.ts';
import type { ImportFile } from './find-import-files.ts';
import type { ImportPiece, LineReader } from './line-reader.ts';
import { parseLine } from './parse-line.ts';
import { pathId } from './path-id.ts';
import { readExport } from './read-export.ts';
import { readTime } from '../../core/read-time.ts';
import { readTranscript, type TranscriptSource } from './read-transcript.ts';

/** The version of transcripts that docs/formats/transcript.md pins. */
const TRANSCRIPT_VERSION = 1;

export interface Chosen {
  /** Absent when there is no point in reading on. */
  readonly reader?: LineReader;
  /** What the first line itself says. */
  readonly pieces: readonly ImportPiece[];
}

/** Recognises the format of a file by its first line: an export, a transcript of Coppice, or any other transcript. */
export function chooseReader(first: Line, file: ImportFile): Chosen {
  const parsed = parseLine(first, file.path);
  const header = 'value' in parsed ? parsed.value : {};
  if (header['kind'] === 'coppice-export') {
    const { version, sessions } = header;
    if (version !== EXPORT_VERSION || typeof sessions !== 'number') return unknownVersion(file.path);
    return { reader: readExport({ path: file.path, sessions }), pieces: [] };
  }
  if (header['coppice'] === 'transcript') {
    if (header['version'] !== TRANSCRIPT_VERSION) return unknownVersion(file.path);
    const conflictHint = 'To keep both, change the session id in the first line of the file and import it again.';
    const source = { path: file.path, ...headerFacts(header, file), conflictHint };
    return { reader: readTranscript(source), pieces: [] };
  }
  const conflictHint = 'To keep both, give the file another name and import it again.';
  const reader = readTranscript({ path: file.path, session: looseSession(file), conflictHint });
  return { reader, pieces: reader.read(first) };
}

function unknownVersion(path: string): Chosen {
  const problem: Problem = {
    kind: 'unknown-version',
    subject: path,
    message: `${path} has a version of the format that this Coppice does not know.`,
    hint: 'Update Coppice, then import it again.',
  };
  return { pieces: [{ kind: 'damaged', problem }] };
}

function headerFacts(header: JsonObject, file: ImportFile): Pick<TranscriptSource, 'session' | 'startedAt'> {
  const { session: id, source, workdir, parentId } = header;
  const childKind = CHILD_KINDS.find((kind) => kind === header['childKind']);
  const startedAt = readTime(header['startedAt'] ?? null);
  const session = {
    ...looseSession(file),
    ...(typeof id === 'string' && { id }),
    ...(typeof source === 'string' && { source }),
    ...(typeof workdir === 'string' && { workdir }),
    ...(typeof parentId === 'string' && childKind !== undefined && { parentId, childKind }),
  };
  return { session, ...(startedAt !== undefined && { startedAt }) };
}

/** A transcript says nothing of how it ended, but nobody will go on writing to the copy. */
function looseSession({ path, modifiedAt }: ImportFile): ImportedSession {
  const at = Math.max(0, Math.floor(modifiedAt));
  return {
    id: pathId(path),
    source: 'import',
    startedAt: at,
    lastActiveAt: at,
    endedAt: at,
    endReason: 'imported',
    pinned: false,
    usageByModel: [],
  };
}
