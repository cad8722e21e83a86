/**
 * Keeps memory and rows bounded whatever a child writes: of each window of time the first bytes and the last are recorded, and
 * between them how many were left out. A sink that is slow makes windows longer, never larger.
 */
import { beginWindow, closeWindow, extendWindow } from '../terminal/output-window.ts';
import type { OutputChunk } from './run-sink.ts';

/** How much more output a run may record; all its streams share it. */
export interface Allowance {
  leftBytes: number;
}

export interface OutputRecorder {
  /** Takes a copy of what has to be kept. */
  add(bytes: Buffer): void;
  /** Records what has come so far, while there is allowance for it. */
  flush(): Promise<void>;
  /** Records the rest. Once the allowance is used up, that is only the very end of the output. */
  finish(): Promise<void>;
}

export interface RecorderOptions {
  readonly stream: OutputChunk['stream'];
  readonly allowance: Allowance;
  /** How long a window is, and how much of its beginning is recorded. */
  readonly windowMs?: number;
  readonly headBytes?: number;
  /** Never rejects. */
  readonly deliver: (chunks: readonly OutputChunk[]) => Promise<void>;
}

const WINDOW_MS = 250;
const HEAD_BYTES = 32 * 1024;

export function createOutputRecorder(options: RecorderOptions): OutputRecorder {
  const { stream, allowance, deliver, windowMs = WINDOW_MS, headBytes = HEAD_BYTES } = options;
  const nextWindow = () => beginWindow(Math.max(0, Math.min(headBytes, allowance.leftBytes)));
  let window = nextWindow();
  let waiting: NodeJS.Timeout | undefined;
  let fresh = false;

  const record = (last: boolean): Promise<void> => {
    const { rows, carry } = closeWindow(window, last);
    for (const { bytes } of rows) allowance.leftBytes -= bytes.length;
    window = nextWindow();
    extendWindow(window, carry);
    fresh = false;
    return deliver(rows.map(({ bytes, omittedBytes }) => ({ stream, text: bytes.toString(), omittedBytes })));
  };
  const recordWhenDue = async (): Promise<void> => {
    await record(false);
    waiting = undefined;
    schedule();
  };
  const schedule = (): void => {
    // A window without allowance stays open until the end.
    if (!fresh || waiting !== undefined || window.maxHeadBytes === 0) return;
    waiting = setTimeout(() => void recordWhenDue(), windowMs);
  };

  return {
    add(bytes) {
      extendWindow(window, bytes);
      fresh = true;
      schedule();
    },
    flush: async () => {
      if (fresh && window.maxHeadBytes > 0) await record(false);
    },
    finish() {
      clearTimeout(waiting);
      return record(true);
    },
  };
}
