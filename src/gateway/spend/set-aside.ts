import type { Reserved } from '../../core/gateway/gateway.ts';
import type { Reservation, SpendBook } from '../../core/gateway/spend-book.ts';
import type { HeldAhead } from './held-ahead.ts';

/** What is set aside for the step of a turn that goes on. It is settled by a report, or stays held for the next one. */
export class SetAside {
  /** Undefined between two steps of somebody who asks before each. */
  reservation: Reservation | undefined;
  readonly #ahead: HeldAhead | undefined;

  constructor({
    reservation,
    ahead,
  }: { readonly reservation?: Reservation | undefined; readonly ahead?: HeldAhead | undefined }) {
    this.reservation = reservation;
    this.#ahead = ahead;
  }

  /** What to hold for a step that needs so much. */
  amounts(needs: Reserved): Reserved {
    return this.#ahead?.now ?? needs;
  }

  take(): Reservation | undefined {
    const { reservation } = this;
    this.reservation = undefined;
    return reservation;
  }

  /** It was taken and is not used up. Where another has come in its place meanwhile it must go back. */
  async putBack(reservation: Reservation | undefined, book: SpendBook): Promise<void> {
    if (this.reservation === undefined) this.reservation = reservation;
    else if (reservation !== undefined && reservation.id !== this.reservation.id) await book.release(reservation);
  }

  /** What stays held after a report of so much; undefined where nothing does. */
  aheadOf(used: Reserved): Reserved | undefined {
    this.#ahead?.used(used);
    return this.#ahead?.now;
  }

  /** A report settles this reservation, which was taken: it stays, where something is held ahead. */
  keep(reservation: Reservation | undefined): void {
    if (this.#ahead !== undefined) this.reservation = reservation;
  }

  /** A report was of nothing, so that nothing was counted. */
  async unused(reservation: Reservation | undefined, book: SpendBook): Promise<void> {
    if (reservation !== undefined && this.#ahead === undefined) await book.release(reservation);
  }
}
