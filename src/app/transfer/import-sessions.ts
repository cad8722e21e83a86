import type { Problem } from '../../core/problem.ts';
import { findImportFiles } from './find-import-files.ts';
import { importFile } from './import-file.ts';
import type { ImportOutcome, SessionOutcome } from './import-outcome.ts';
import type { ImportInto } from './import-target.ts';

export interface ImportRequest {
  /** Files, and folders with files below them. */
  readonly paths: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Imports sessions from exports and transcripts. Each session appears whole or not at all; one that is there already with the
 * same messages is left alone, and one with other messages is a conflict that changes nothing.
 */
export async function* importSessions(
  store: ImportInto,
  { paths, signal }: ImportRequest,
): AsyncGenerator<ImportOutcome> {
  const { files, leftAlone, unreadable } = findImportFiles(paths);
  const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  for (const folder of leftAlone) yield { status: 'left-alone', ...folder };
  for (const problem of unreadable) yield notRead(problem);
  let before = 0;
  for (const file of files) {
    signal?.throwIfAborted();
    for await (const { offset, outcome } of importFile(store, file, signal)) {
      const bytesRead = before + offset;
      if (outcome) yield { ...outcome, bytesRead };
      else yield { status: 'reading', path: file.path, bytesRead, totalBytes };
    }
    before += file.sizeBytes;
  }
}

function notRead(problem: Problem): SessionOutcome {
  const { subject: path } = problem;
  return { status: 'failed', path, messages: 0, problems: [problem], problemCount: 1, bytesRead: 0 };
}
