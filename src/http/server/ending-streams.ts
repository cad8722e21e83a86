import type { ServerResponse } from 'node:http';
import type { Holder } from '../../app/access/find-bearer.ts';
import { SECOND_MS } from '../../core/time.ts';

const LOOK_MS = SECOND_MS;

/**
 * Ends answers that have no end of their own once the token that asked for them is revoked or has expired. The others are done
 * soon enough by themselves.
 */
export class EndingStreams {
  readonly #open = new Map<ServerResponse, Holder>();
  #timer: NodeJS.Timeout | undefined;

  watch(response: ServerResponse, holder: Holder): void {
    this.#open.set(response, holder);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    response.once('close', () => this.#forget(response));
  }

  #look(): void {
    for (const [response, { isGood }] of this.#open) if (!isGood()) response.end();
  }

  #forget(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
