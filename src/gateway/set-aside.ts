import type { Reservation, Reserved, SpendBook } from '../core/gateway/gateway.ts';
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
  unused(reservation: Reservation | undefined, book: SpendBook): void {
    if (reservation !== undefined && this.#ahead === undefined) book.release(reservation);
  }
}
