import type { Problem } from '../../core/problem.ts';
import { findImportFiles, type ImportFile } from './find-import-files.ts';
import type { ComingOutcome } from './import-desk.ts';
import { importFile, type ImportPlace } from './import-file.ts';
import { ImportGroup } from './import-group.ts';
import type { ImportOutcome, SessionOutcome } from './import-outcome.ts';
import type { ImportInto } from './import-target.ts';
import { knownFormats } from './transcripts/known-formats.ts';
import { loadFormats } from './transcripts/load-formats.ts';

export interface ImportRequest {
  /** Files, and folders with files below them: exports, transcripts, or the homes of agents. */
  readonly paths: readonly string[];
  readonly signal?: AbortSignal;
}

/** So many files are read before it is said again how far the import is, however small they are. */
const STEP_FILES = 50;

/**
 * Imports sessions from exports, transcripts and what other agents wrote. Each session appears whole or not at all; one that is there
 * already with the same messages is left alone, and one with other messages is a conflict that changes nothing.
 */
export async function* importSessions(
  store: ImportInto,
  { paths, signal }: ImportRequest,
): AsyncGenerator<ImportOutcome> {
  const formats = knownFormats(await loadFormats());
  const { files, leftAlone, unreadable } = findImportFiles(paths, formats);
  for (const folder of leftAlone) yield { status: 'left-alone', ...folder };
  for (const problem of unreadable) yield notRead(problem);
  await using group = new ImportGroup(store);
  yield* importFiles(files, { group, formats, counted: new Set(), signal });
}

async function* importFiles(files: readonly ImportFile[], place: ImportPlace): AsyncGenerator<ImportOutcome> {
  const { group, signal } = place;
  const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const waiting: Waiting[] = [];
  let before = 0;
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted();
    for await (const { offset, outcome, isBeside } of importFile(place, file)) {
      const bytesRead = before + offset;
      if (outcome !== undefined) waiting.push({ outcome, bytesRead });
      else if (isBeside === true) yield { status: 'left-alone', path: file.path, files: 1 };
      else yield { status: 'reading', path: file.path, bytesRead, totalBytes };
      if (group.isFull) yield* settle(group, waiting);
    }
    before += file.sizeBytes;
    if ((index + 1) % STEP_FILES === 0) yield { status: 'reading', path: file.path, bytesRead: before, totalBytes };
  }
  yield* settle(group, waiting);
}

/** What is said once it is true. */
interface Waiting {
  readonly outcome: ComingOutcome;
  readonly bytesRead: number;
}

/** Writes what was held back, and says what became of everything that was read so far, in that order. */
async function* settle(group: ImportGroup, waiting: Waiting[]): AsyncGenerator<SessionOutcome> {
  await group.flush();
  for (const { outcome, bytesRead } of waiting.splice(0)) yield { ...(await outcome), bytesRead };
}

function notRead(problem: Problem): SessionOutcome {
  const { subject: path } = problem;
  return { status: 'failed', path, messages: 0, problems: [problem], problemCount: 1, bytesRead: 0 };
}
