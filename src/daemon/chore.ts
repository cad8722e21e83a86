import { errorText } from '../core/error-text.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import type { ChoreHealth } from '../http/resources/readiness.ts';

export interface ChoreSpec {
  /** As it is called in a sentence. */
  readonly name: string;
  readonly everyMs: number;
  readonly act: () => Promise<void>;
}

/** Something that is done again and again by the clock. One try that fails is told, and the next comes at its time. */
export class Chore {
  readonly #spec: ChoreSpec;
  readonly #clock: Clock;
  #dueAt: EpochMs = 0;
  #doneAt: EpochMs;
  #going = false;
  #trouble: string | undefined;

  constructor(spec: ChoreSpec, clock: Clock) {
    this.#spec = spec;
    this.#clock = clock;
    this.#doneAt = clock.now();
  }

  /** A chore that takes long is not begun a second time, and a clock that went back must not keep one waiting for long. */
  get isDue(): boolean {
    const now = this.#clock.now();
    return !this.#going && (this.#dueAt <= now || this.#dueAt > now + this.#spec.everyMs);
  }

  get health(): ChoreHealth {
    const { name, everyMs } = this.#spec;
    return { name, everyMs, doneAt: this.#doneAt, ...(this.#trouble !== undefined && { trouble: this.#trouble }) };
  }

  /** Does it. Returns what is to be said: a trouble once and not at every try, and that it is over. */
  async attempt(): Promise<string | undefined> {
    const { name, everyMs, act } = this.#spec;
    this.#dueAt = this.#clock.now() + everyMs;
    this.#going = true;
    const before = this.#trouble;
    try {
      await act();
      this.#doneAt = this.#clock.now();
      this.#trouble = undefined;
      return before && `All is well again with ${name}.`;
    } catch (error) {
      this.#trouble = errorText(error);
      return before === this.#trouble ? undefined : `Trouble with ${name}: ${this.#trouble}`;
    } finally {
      this.#going = false;
    }
  }
}
