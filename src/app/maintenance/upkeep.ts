import { type Clock, type EpochMs, HOUR_MS } from '../../core/time.ts';

/** Between two looks at what may be due. */
const EVERY_MS = HOUR_MS;

/**
 * What a home needs done by whoever writes to it, in the background: at the first write of a process and every hour of writing
 * after that. It never delays or disturbs the write that brings it up.
 */
export class Upkeep {
  readonly #clock: Clock;
  readonly #act: (signal: AbortSignal) => Promise<unknown>;
  readonly #stop = new AbortController();
  #dueAt: EpochMs = -Infinity;
  #going: Promise<unknown> = Promise.resolve();

  /** `act` never rejects: nobody is there to hear of it. */
  constructor(clock: Clock, act: (signal: AbortSignal) => Promise<unknown>) {
    this.#clock = clock;
    this.#act = act;
  }

  /** To be called after every write. */
  wrote(): void {
    const now = this.#clock.now();
    // A clock that went back must not keep it waiting.
    if (now < this.#dueAt && this.#dueAt <= now + EVERY_MS) return;
    this.#dueAt = now + EVERY_MS;
    this.#going = this.#going.then(() => this.#stop.signal.aborted || this.#act(this.#stop.signal));
  }

  /** Lets the step at hand end, begins no other, and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#going;
  }
}
