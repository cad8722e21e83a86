import type { TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { readLines } from '../../platform/text/read-lines.ts';
import { type Chosen, chooseReader } from './choose-reader.ts';
import type { ImportFile } from './find-import-files.ts';
import { type ComingOutcome, ImportDesk } from './import-desk.ts';
import type { ImportGroup } from './import-group.ts';
import { unreadableFile } from './import-problems.ts';
import type { ImportPiece, LineReader } from './line-reader.ts';
import { MAX_LINE_BYTES } from './parse-line.ts';
import type { KnownFormats } from './transcripts/known-formats.ts';
import { createIntake } from './transcripts/transcript-intake.ts';

/** An outcome, or nothing new; with how much of the file was read by then. */
export interface FileStep {
  readonly offset: number;
  readonly outcome?: ComingOutcome;
  /** The agent keeps it beside its transcripts: there was nothing to look for. */
  readonly isBeside?: true;
}

export interface ImportPlace {
  readonly group: ImportGroup;
  readonly formats: KnownFormats;
  /** The calls of models that were counted in this import, so that each counts once. */
  readonly counted: Set<string>;
  readonly signal: AbortSignal | undefined;
}

/** How often to say how far the reading is. */
const STEP_BYTES = 1024 * 1024;

/** Imports the sessions of one file, which is only ever read. Whatever is not finished when it stops is abandoned. */
export async function* importFile(place: ImportPlace, file: ImportFile): AsyncGenerator<FileStep> {
  const { path } = file;
  const { signal } = place;
  const known = file.known ?? place.formats.recognise(path);
  if (known?.role === 'beside') {
    yield { offset: file.sizeBytes, isBeside: true };
    return;
  }
  const desk = new ImportDesk(place.group, path);
  let offset = 0;
  let stepAt = STEP_BYTES;
  const at = (outcome: ComingOutcome): FileStep => ({ offset, outcome });
  try {
    const source = known === undefined ? linesOf(file, signal) : transcriptOf(place, file, known.format);
    for await (const read of source) {
      const sizeBytes = Math.max(0, read.offset - offset);
      offset = read.offset;
      yield* (await desk.take(read.pieces, sizeBytes)).map(at);
      if (offset < stepAt) continue;
      stepAt = offset + STEP_BYTES;
      yield { offset };
    }
    yield* desk.close({ isTranscript: known !== undefined }).map(at);
  } catch (error) {
    if (signal?.aborted) throw error;
    yield at(await desk.fail(unreadableFile(path, error)));
  } finally {
    await desk[Symbol.asyncDispose]();
  }
}

/** What was read of a file by now. */
interface ReadPieces {
  readonly pieces: readonly ImportPiece[];
  readonly offset: number;
}

/** A file that no agent claims: an export, a transcript of Coppice, or lines with a role and content. */
async function* linesOf(file: ImportFile, signal: AbortSignal | undefined): AsyncGenerator<ReadPieces> {
  let reader: LineReader | undefined;
  let offset = 0;
  for await (const line of readLines(file.path, { maxLineBytes: MAX_LINE_BYTES, ...(signal && { signal }) })) {
    offset = line.endOffset;
    if (!line.tooLong && line.text.trim() === '') continue;
    const chosen: Chosen = reader ? { reader, pieces: reader.read(line) } : chooseReader(line, file);
    yield { pieces: chosen.pieces, offset };
    reader = chosen.reader;
    if (reader === undefined) return;
  }
  yield { pieces: reader?.end() ?? [], offset };
}

async function* transcriptOf(
  { counted, signal }: ImportPlace,
  file: ImportFile,
  format: TranscriptFormat,
): AsyncGenerator<ReadPieces> {
  const intake = createIntake({ file, source: format.name, counted });
  for await (const { pieces, offset } of format.read(file, signal))
    yield { pieces: intake.take(pieces), offset: Math.min(offset, file.sizeBytes) };
}
