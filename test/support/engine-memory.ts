import type { Plan } from '../../src/core/plan.ts';
import type { RunItemState } from '../../src/core/run.ts';

/** A session as a person remembers it. */
export interface Remembered {
  readonly messages: string[];
  pinned: boolean;
  ended: boolean;
  /** This process has it in use. */
  claimed: boolean;
  /** Grows with every change that a plan must notice. */
  version: number;
}

/** What must be in a home, and the plans that were made for it. */
export class EngineMemory {
  readonly live = new Map<string, Remembered>();
  readonly plans: { plan: Plan; versions: ReadonlyMap<string, [Remembered, number]> }[] = [];
  /** What is in the trash, by run and number. */
  readonly #trashed = new Map<string, { id: string; session: Remembered }>();

  /** Keeps a plan with what each session was when it was made. */
  keepPlan(plan: Plan): void {
    const versions = new Map<string, [Remembered, number]>();
    for (const [id, session] of this.live) versions.set(id, [session, session.version]);
    this.plans.push({ plan, versions });
  }

  /** Follows what the journal says of an item. Returns what should not have come to pass. */
  follow(place: string, id: string, state: RunItemState): string[] {
    const trashed = this.#trashed.get(place);
    const gone = state === 'trashed' || state === 'archived';
    if (trashed === undefined && gone) {
      const session = this.live.get(id);
      if (session === undefined) return [`${id} was removed and was not there`];
      this.live.delete(id);
      this.#trashed.set(place, { id, session });
      return this.#whyNot(id, session);
    }
    if (trashed !== undefined && !gone) {
      this.#trashed.delete(place);
      if (state === 'restored' && this.live.has(id)) return [`${id} was restored over another`];
      if (state === 'restored') this.live.set(id, trashed.session);
    }
    return [];
  }

  /** What should have kept a session from being removed. */
  #whyNot(id: string, session: Remembered): string[] {
    if (session.pinned) return [`${id} was pinned and is removed`];
    if (session.claimed) return [`${id} was in use and is removed`];
    const planned = this.plans.some(({ plan, versions }) => {
      const [known, version] = versions.get(id) ?? [];
      const removes = plan.decisions.some(
        ({ item, action }) => item.id === id && (action === 'remove' || action === 'archive'),
      );
      return removes && known === session && version === session.version;
    });
    return planned ? [] : [`${id} was removed, and no plan saw it as it was`];
  }
}
