import type { TakePiece } from '../../../platform/text/read-pieces.ts';
import type { WriteBytes } from '../../../platform/files/write-bytes.ts';
import type { RunDesk } from '../run-desk.ts';
import { createEventFinder, type OutputPart } from './event-finder.ts';
import { createLineSplitter } from './line-splitter.ts';
import type { OutputRecorder } from './output-recorder.ts';

/** What is done with the bytes of one of a child's pipes. */
export interface Taker {
  readonly take: TakePiece;
  /** The pipe has ended. */
  end(): Promise<void>;
}

/** The event channel. The next piece is read when every event of this one has its verdict. */
export function takeEvents(desk: RunDesk): Taker {
  const splitter = createLineSplitter();
  return {
    take(piece) {
      const lines = [...splitter.lines(piece)];
      return lines.length === 0 ? undefined : desk.each(lines, desk.line);
    },
    async end() {
      const rest = splitter.rest();
      if (rest !== undefined) await desk.line(rest);
    },
  };
}

/** Output in which events may stand between the lines. */
export function takeOutputWithEvents(recorder: OutputRecorder, desk: RunDesk): Taker {
  const finder = createEventFinder();
  const takePart = async ({ kind, bytes }: OutputPart): Promise<void> => {
    // What was printed before an event is recorded before it.
    const flushed = kind === 'line' ? recorder.flush() : undefined;
    const taken = kind === 'line' ? desk.lineOfOutput(bytes) : undefined;
    if (taken === undefined) recorder.add(bytes);
    await Promise.all([flushed, taken]);
  };
  return {
    take(piece) {
      const parts = finder.parts(piece);
      if (parts.some(({ kind }) => kind === 'line')) return desk.each(parts, takePart);
      for (const { bytes } of parts) recorder.add(bytes);
      return undefined;
    },
    async end() {
      const rest = finder.rest();
      if (rest.length > 0) await takePart({ kind: 'line', bytes: rest });
      await recorder.finish();
    },
  };
}

/** Output that is only output. */
export function takeOutput(recorder: OutputRecorder): Taker {
  return {
    take(piece) {
      recorder.add(piece);
      return undefined;
    },
    end: () => recorder.finish(),
  };
}

/** Shows every byte as it comes, besides what else is done with it. */
export function showing(write: WriteBytes, taker: Taker): Taker {
  return {
    take(piece) {
      const shown = write(piece);
      const taken = taker.take(piece);
      if (shown === undefined || taken === undefined) return shown ?? taken;
      return Promise.all([shown, taken]).then(() => undefined);
    },
    end: () => taker.end(),
  };
}

/** Lets somebody see every byte, besides what else is done with it. */
export function seen(see: ((piece: Buffer) => void) | undefined, taker: Taker): Taker {
  if (see === undefined) return taker;
  return {
    take(piece) {
      see(piece);
      return taker.take(piece);
    },
    end: () => taker.end(),
  };
}
