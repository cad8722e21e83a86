import type { Plan } from '../../src/core/retention/plan.ts';
import type { RunItem } from '../../src/core/retention/run.ts';
import type { EpochMs } from '../../src/core/time.ts';

/** What is in each dump, by its name. */
export type Dumps = ReadonlyMap<string, string>;

/** A session as a person remembers it. */
export interface Remembered {
  readonly messages: string[];
  dumps: Dumps;
  /** When it was last used. */
  activeAt: EpochMs;
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
  /** What is in the trash, by run and number: a session, or the dumps of one that stayed. */
  readonly #trashed = new Map<string, { session: Remembered; dumps?: Dumps }>();

  /** Keeps a plan with what each session was when it was made. */
  keepPlan(plan: Plan): void {
    const versions = new Map<string, [Remembered, number]>();
    for (const [id, session] of this.live) versions.set(id, [session, session.version]);
    this.plans.push({ plan, versions });
  }

  /** Follows what the journal says of an item. Returns what should not have come to pass. */
  follow(runId: string, { number, item, action, state }: RunItem): string[] {
    if (item.kind !== 'session') return [];
    const place = `${runId}/${number}`;
    const trashed = this.#trashed.get(place);
    const gone = state === 'trashed' || state === 'archived';
    if (trashed === undefined && gone) return this.#take(place, item.id, action);
    if (trashed === undefined || gone) return [];
    this.#trashed.delete(place);
    return state === 'restored' ? this.#giveBack(item.id, trashed) : [];
  }

  #take(place: string, id: string, action: RunItem['action']): string[] {
    const session = this.live.get(id);
    if (session === undefined) return [`${id} was taken and was not there`];
    const { dumps } = session;
    const whole = action === 'remove' || action === 'archive';
    this.#trashed.set(place, whole ? { session } : { session, dumps });
    if (whole) this.live.delete(id);
    else session.dumps = new Map();
    return this.#whyNot(id, session, action);
  }

  #giveBack(id: string, { session, dumps }: { readonly session: Remembered; readonly dumps?: Dumps }): string[] {
    const now = this.live.get(id);
    if (dumps === undefined) {
      this.live.set(id, session);
      return now === undefined ? [] : [`${id} was restored over another`];
    }
    session.dumps = new Map([...session.dumps, ...dumps]);
    return now === session ? [] : [`the files of ${id} were given back to another`];
  }

  /** What should have kept a session from being removed. */
  #whyNot(id: string, session: Remembered, action: RunItem['action']): string[] {
    if (session.pinned) return [`${id} was pinned: ${action}`];
    if (session.claimed) return [`${id} was in use: ${action}`];
    const planned = this.plans.some(({ plan, versions }) => {
      const [known, version] = versions.get(id) ?? [];
      const decided = plan.decisions.some((each) => each.item.id === id && each.action === action);
      return decided && known === session && version === session.version;
    });
    return planned ? [] : [`no plan saw ${id} as it was: ${action}`];
  }
}

export function bytesOf(dumps: Dumps): number {
  return [...dumps.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
}
