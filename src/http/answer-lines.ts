import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { SECOND_MS } from '../core/time.ts';

/** What may stand between a client and its answer gives up on a connection that is silent for about a minute. */
const SILENCE_MS = 10 * SECOND_MS;

const LINES = 'application/jsonl';

/**
 * An answer that takes long, for a client that accepts lines of JSON: steps as they come, empty lines while there is nothing to
 * tell, and the answer or the error at the end. What is answered before the first of them is an answer like any other.
 */
export class AnswerLines implements Disposable {
  readonly #response: ServerResponse;
  readonly #status: number;
  readonly #listens: boolean;
  readonly #silence: NodeJS.Timeout | undefined;
  readonly #gone = new AbortController();
  /** One wait for all who tell meanwhile. */
  #drained: Promise<void> | undefined;
  /** Aborted when the client is no longer there. */
  readonly gone: AbortSignal = this.#gone.signal;

  constructor(response: ServerResponse, status: number) {
    this.#response = response;
    this.#status = status;
    this.#listens = response.req.headers.accept?.includes(LINES) === true;
    if (this.#listens) this.#silence = setInterval(() => this.#write(''), SILENCE_MS);
    response.once('close', () => this.#gone.abort());
  }

  /** Resolves when the client has read enough to be told more. Rejects only when it is gone. */
  step(step: object): Promise<void> {
    if (!this.#listens) return Promise.resolve();
    const line = JSON.stringify({ step });
    return this.#tell(line);
  }

  async #tell(line: string): Promise<void> {
    this.gone.throwIfAborted();
    this.#write(line);
    if (this.#response.writableNeedDrain) await (this.#drained ??= this.#drain());
  }

  async #drain(): Promise<void> {
    try {
      await once(this.#response, 'drain', { signal: this.gone });
    } finally {
      this.#drained = undefined;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#silence);
  }

  #write(line: string): void {
    if (!this.#response.headersSent) {
      this.#response.statusCode = this.#status;
      this.#response.setHeader('content-type', LINES);
      this.#response.setHeader('cache-control', 'no-store');
      this.#response.setHeader('x-content-type-options', 'nosniff');
    }
    this.#response.write(`${line}\n`);
  }
}

/** Whether the answer has begun as lines, so that its end must be one too. */
export function beganLines(response: ServerResponse): boolean {
  return response.headersSent && response.getHeader('content-type') === LINES;
}

/** How many things were looked at so far, and of how many where that is known. */
interface Progress {
  readonly done: number;
  readonly total?: number;
}

/** Says how far the work is, a few times in a second at most. */
export function throttled(
  tell: (step: Progress) => Promise<void>,
  everyMs = 200,
): (done: number, total?: number) => void {
  let lastAt = performance.now();
  return (done, total) => {
    const now = performance.now();
    if (now - lastAt < everyMs) return;
    lastAt = now;
    said(tell({ done, ...(total !== undefined && { total }) }));
  };
}

/** For work that cannot wait until it is heard: the signal ends it when the client is gone. */
export function said(told: Promise<void>): void {
  told.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  });
}
