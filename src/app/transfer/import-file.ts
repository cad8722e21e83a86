import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readLines } from '../../platform/files/read-lines.ts';
import { type Chosen, chooseReader } from './choose-reader.ts';
import type { ImportFile } from './find-import-files.ts';
import { type DeskOutcome, ImportDesk } from './import-desk.ts';
import type { ImportInto } from './import-target.ts';
import type { LineReader } from './line-reader.ts';
import { MAX_LINE_BYTES } from './parse-line.ts';

/** An outcome, or nothing new; with how much of the file was read by then. */
export interface FileStep {
  readonly offset: number;
  readonly outcome?: DeskOutcome;
}

/** How often to say how far the reading is. */
const STEP_BYTES = 1024 * 1024;

/** Imports the sessions of one file, which is only ever read. Whatever is not finished when it stops is abandoned. */
export async function* importFile(
  store: ImportInto,
  file: ImportFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileStep> {
  const desk = new ImportDesk(store, file.path);
  let reader: LineReader | undefined;
  let offset = 0;
  let stepAt = STEP_BYTES;
  const at = (outcome: DeskOutcome): FileStep => ({ offset, outcome });
  try {
    for await (const line of readLines(file.path, { maxLineBytes: MAX_LINE_BYTES, ...(signal && { signal }) })) {
      const sizeBytes = line.endOffset - offset;
      offset = line.endOffset;
      if (!line.tooLong && line.text.trim() === '') continue;
      const chosen: Chosen = reader ? { reader, pieces: reader.read(line) } : chooseReader(line, file);
      yield* (await desk.take(chosen.pieces, sizeBytes)).map(at);
      reader = chosen.reader;
      if (reader === undefined) break;
      if (offset < stepAt) continue;
      stepAt = offset + STEP_BYTES;
      yield { offset };
    }
    yield* (await desk.take(reader?.end() ?? [], 0)).map(at);
    yield* desk.close().map(at);
  } catch (error) {
    if (signal?.aborted) throw error;
    yield at(await desk.fail(unreadable(file.path, error)));
  } finally {
    await desk[Symbol.asyncDispose]();
  }
}

/** What the file system or the store refuses is an outcome; anything else is a bug and goes on up. */
function unreadable(path: string, error: unknown): Problem {
  const reason = error instanceof Failure ? error.message : errorCode(error);
  if (reason === undefined || reason.startsWith('ERR_')) throw error;
  return {
    kind: 'unreadable-path',
    subject: path,
    message: `${path} could not be read to its end: ${reason}`,
    hint: 'Check the file and its permissions, then import it again.',
  };
}
