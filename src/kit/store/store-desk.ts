import type { NewSession, SessionFacts } from '../../core/sessions/session.ts';
import type { SessionStore, StoreListQuery } from '../../core/stores/session-store.ts';
import type { Clock } from '../../core/time.ts';
import { type KitCase, type KitClock, kitClock } from '../kit-case.ts';
import { collect, messagesOf, user } from './asking.ts';

/** Where one store is kept between openings: a folder, a schema of a server. It is empty at first. */
export interface StorePlace {
  /** Opens the store once more, as another process would. Whoever asks closes it. */
  open(options: { readonly clock: Clock }): Promise<SessionStore>;
}

/** An open store with the questions that many cases ask. */
export interface StoreDesk {
  readonly store: SessionStore;
  readonly clock: KitClock;
  /** What `openOther` opened and is closed after the case. */
  readonly others: SessionStore[];
  readonly reopen: () => Promise<void>;
  /** A second store on the same data, as another process would have it. */
  readonly openOther: () => Promise<SessionStore>;
  readonly create: (session?: Partial<NewSession>) => Promise<SessionFacts>;
  readonly createAt: (id: string, at: number, session?: Partial<NewSession>) => Promise<void>;
  readonly say: (id: string, ...texts: string[]) => Promise<void>;
  readonly factsOf: (id: string) => Promise<SessionFacts>;
  readonly contents: (id: string) => Promise<readonly unknown[]>;
  readonly listed: (query?: StoreListQuery) => Promise<readonly string[]>;
  readonly foundIds: (text: string, source?: string) => Promise<readonly string[]>;
  readonly held: () => Promise<readonly string[]>;
}

/** Cases that find an open store, and close what they opened. `prepare` comes before each. */
export function atDesk(
  cases: readonly KitCase<StoreDesk>[],
  prepare?: (desk: StoreDesk) => Promise<void>,
): readonly KitCase<StorePlace>[] {
  return cases.map(({ name, run }) => ({
    name,
    async run(place) {
      await using desk = await openDesk(place);
      await prepare?.(desk);
      await run(desk);
    },
  }));
}

async function openDesk(place: StorePlace): Promise<StoreDesk & AsyncDisposable> {
  const clock = kitClock();
  const others: SessionStore[] = [];
  let store = await place.open({ clock });
  const create = (session: Partial<NewSession> = {}) => store.create({ source: 'cli', ...session });
  return {
    ...questionsTo(() => store),
    get store() {
      return store;
    },
    clock,
    others,
    reopen: async () => {
      await store[Symbol.asyncDispose]();
      store = await place.open({ clock });
    },
    openOther: async () => {
      const other = await place.open({ clock });
      others.push(other);
      return other;
    },
    create,
    createAt: async (id, at, session = {}) => {
      clock.set(at);
      await create({ id, ...session });
    },
    say: async (id, ...texts) => {
      if ((await store.get(id)) === undefined) await create({ id });
      await store.append(id, texts.map(user));
    },
    [Symbol.asyncDispose]: async () => {
      for (const other of others.splice(0)) await other[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function questionsTo(store: () => SessionStore) {
  return {
    factsOf: async (id: string) => {
      const facts = await store().get(id);
      if (facts === undefined) throw new Error(`There is no session ${id}.`);
      return facts;
    },
    contents: async (id: string) => (await messagesOf(store(), id)).map(({ content }) => content),
    listed: async (query?: StoreListQuery) => (await collect(store().list(query))).map(({ id }) => id),
    foundIds: async (text: string, source?: string) => {
      const hits = await store().search({ text, ...(source !== undefined && { source }) });
      return hits.map(({ session }) => session.id);
    },
    held: async () => (await store().holders()).flatMap(({ sessionIds }) => sessionIds),
  };
}
