import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../test/support/clock.ts';
import { checkProblems, collect, user } from '../../test/support/collect.ts';
import { removeSessions } from '../../test/support/remove-sessions.ts';
import type { StorePlace } from '../../test/support/store-desk.ts';
import type { MessageRange } from '../core/sessions/session-reader.ts';
import type { SessionStore } from '../core/sessions/session-store.ts';

/** The contract of `SessionRewind`, as behaviour. `newPlace` gives an empty place for each test. */
export function sessionRewindConformance(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`${name}: conversations taken back`, () => {
    let place: StorePlace;
    let store: SessionStore;

    beforeEach(async () => {
      place = await newPlace();
      store = await place.open({ clock: manualClock() });
      await store.create({ id: 's', source: 'cli' });
      await store.append('s', ['one', 'two', 'three', 'four'].map(user));
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    const said = async (range?: MessageRange) =>
      (await collect(store.messages('s', range))).map(({ seq, content, rewound }) => [
        seq,
        content,
        ...(rewound === true ? ['rewound'] : []),
      ]);
    const takeBack = (run: string, afterSeq: number, id = 's') =>
      store.rewind.takeBack(run, { number: 1, id, afterSeq });
    const giveBack = (run: string, id = 's') => store.rewind.bringBack(run, { number: 1, id, afterSeq: 0 });

    it('hides what came after a message, and shows it marked to whoever asks', async () => {
      expect(await takeBack('r', 2)).toEqual({ number: 1, status: 'done' });
      expect(await said()).toEqual([
        [1, 'one'],
        [2, 'two'],
      ]);
      expect(await said({ rewound: true, from: 2 })).toEqual([
        [2, 'two'],
        [3, 'three', 'rewound'],
        [4, 'four', 'rewound'],
      ]);
    });

    it('counts the newest messages among those that are left', async () => {
      await takeBack('r', 3);
      expect(await said({ last: 2 })).toEqual([
        [2, 'two'],
        [3, 'three'],
      ]);
      expect(await said({ last: 2, rewound: true })).toEqual([
        [3, 'three'],
        [4, 'four', 'rewound'],
      ]);
    });

    it('says how many are left, and how many there are with those that were taken back', async () => {
      const counts = async () => [await store.counts.messages('s', false), await store.counts.messages('s', true)];
      expect(await counts()).toEqual([4, 4]);
      await takeBack('r', 2);
      await takeBack('again', 1);
      expect(await counts()).toEqual([1, 4]);
    });

    it('goes on with the next number, and shows what is said afterwards', async () => {
      await takeBack('r', 1);
      expect(await store.append('s', [user('five')])).toMatchObject({ firstSeq: 5, lastSeq: 5 });
      expect(await said()).toEqual([
        [1, 'one'],
        [5, 'five'],
      ]);
    });

    it('hides nothing that was said after the first time, when it is asked again for the same run', async () => {
      await takeBack('r', 2);
      await store.append('s', [user('five')]);
      await takeBack('r', 2);
      expect((await said()).at(-1)).toEqual([5, 'five']);
    });

    it('gives everything back as it was, and again without effect', async () => {
      const before = await said();
      await takeBack('r', 0);
      expect(await said()).toEqual([]);
      expect(await giveBack('r')).toEqual({ number: 1, status: 'done' });
      expect(await giveBack('r')).toEqual({ number: 1, status: 'done' });
      expect(await said()).toEqual(before);
    });

    it('does not put two endings into one conversation', async () => {
      await takeBack('r', 2);
      await store.append('s', [user('five')]);
      expect(await giveBack('r')).toMatchObject({ status: 'skipped' });
      expect((await said()).map(([seq]) => seq)).toEqual([1, 2, 5]);
    });

    it('gives back one rewind after another, the latest first', async () => {
      await takeBack('early', 3);
      await store.append('s', [user('five')]);
      await takeBack('late', 1);
      expect((await said()).map(([seq]) => seq)).toEqual([1]);
      await giveBack('late');
      expect((await said()).map(([seq]) => seq)).toEqual([1, 2, 3, 5]);
    });

    it('still finds what was taken back, and says that it was', async () => {
      await takeBack('r', 2);
      const [hit] = await store.search({ text: 'four' });
      expect(hit?.message).toMatchObject({ seq: 4, rewound: true });
      const [kept] = await store.search({ text: 'two' });
      expect(kept?.message).not.toHaveProperty('rewound');
    });

    it('leaves counts, search and transcript in order', async () => {
      await takeBack('r', 1);
      await store.append('s', [user('five')]);
      expect(await checkProblems(store)).toEqual([]);
      expect(await store.get('s')).toMatchObject({ messageCount: 5 });
    });

    it('is gone with its session', async () => {
      await takeBack('r', 1);
      await removeSessions(store, ['s']);
      await store.create({ id: 's', source: 'cli' });
      await store.append('s', ['new one', 'new two'].map(user));
      expect((await said()).map(([seq]) => seq)).toEqual([1, 2]);
      expect(await checkProblems(store)).toEqual([]);
    });

    it('skips a session that is not there', async () => {
      expect(await takeBack('r', 1, 'nobody')).toMatchObject({ status: 'skipped' });
      expect(await giveBack('r', 'nobody')).toMatchObject({ status: 'skipped' });
    });
  });
}
