import { afterEach, beforeEach } from 'vitest';
import type { NewSession } from '../../src/core/sessions/session.ts';
import type { SessionStore, StoreListQuery } from '../../src/core/sessions/session-store.ts';
import type { Clock } from '../../src/core/time.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { collect, messagesOf, user } from './collect.ts';

/** A place that keeps a store between openings: a directory, a schema of a server. Closing it removes what is there. */
export interface StorePlace extends AsyncDisposable {
  open(options: { readonly clock: Clock }): Promise<SessionStore>;
}

export type StoreDesk = ReturnType<typeof storeDesk>;

/** An empty store for each test of the suite that calls this, with the questions that many tests ask. */
export function storeDesk(newPlace: () => Promise<StorePlace>) {
  let place: StorePlace;
  let clock: ManualClock;
  let store: SessionStore;
  const others: SessionStore[] = [];

  beforeEach(async () => {
    place = await newPlace();
    clock = manualClock();
    store = await place.open({ clock });
  });
  afterEach(async () => {
    for (const other of others.splice(0)) await other[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const create = (session: Partial<NewSession> = {}) => store.create({ source: 'cli', ...session });
  return {
    get store() {
      return store;
    },
    get clock() {
      return clock;
    },
    /** What `openOther` opened and the desk closes after the test. */
    others,
    reopen: async () => {
      await store[Symbol.asyncDispose]();
      store = await place.open({ clock });
    },
    /** A second store on the same data, as another process would have it. */
    openOther: async () => {
      const other = await place.open({ clock });
      others.push(other);
      return other;
    },
    create,
    createAt: async (id: string, at: number, session: Partial<NewSession> = {}) => {
      clock.set(at);
      await create({ id, ...session });
    },
    say: async (id: string, ...texts: string[]) => {
      if ((await store.get(id)) === undefined) await create({ id });
      await store.append(id, texts.map(user));
    },
    factsOf: async (id: string) => {
      const facts = await store.get(id);
      if (facts === undefined) throw new Error(`no session ${id}`);
      return facts;
    },
    contents: async (id: string) => (await messagesOf(store, id)).map(({ content }) => content),
    listed: async (query?: StoreListQuery) => (await collect(store.list(query))).map(({ id }) => id),
    foundIds: async (text: string, source?: string) => {
      const hits = await store.search({ text, ...(source !== undefined && { source }) });
      return hits.map(({ session }) => session.id);
    },
    held: async () => (await store.holders()).flatMap(({ sessionIds }) => sessionIds),
  };
}
