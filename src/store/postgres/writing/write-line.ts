/**
 * The writes of one open store, each begun when the one before has ended, so that they are carried out in the order in which they were
 * asked for. What fails stops no other.
 */
export class WriteLine {
  #last: Promise<unknown> = Promise.resolve();
  #waiting: unknown;

  /** `mark` is known by `isLast` for as long as nothing came after it, and it has not begun. */
  run<T>(write: () => Promise<T>, mark?: unknown): Promise<T> {
    this.#waiting = mark;
    const begin = () => {
      if (this.#waiting === mark) this.#waiting = undefined;
      return write();
    };
    const done = this.#last.then(begin, begin);
    this.#last = done.catch(() => undefined);
    return done;
  }

  isLast(mark: unknown): boolean {
    return this.#waiting === mark;
  }

  async settled(): Promise<void> {
    await this.#last;
  }
}
