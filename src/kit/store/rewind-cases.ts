import assert from 'node:assert/strict';
import { checkProblems, collect, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import type { MessageRange } from '../../core/stores/session-reader.ts';
import type { KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has, lacks } from './has.ts';

/** The contract of `SessionRewind`, as behaviour. */
export const rewindCases: readonly KitCase<StorePlace>[] = atDesk(
  [
    {
      name: 'conversations taken back: hides what came after a message, and shows it marked to whoever asks',
      async run(desk) {
        const { said, takeBack } = rewindAt(desk);
        assert.deepEqual(await takeBack('r', 2), { number: 1, status: 'done' });
        assert.deepEqual(await said(), [
          [1, 'one'],
          [2, 'two'],
        ]);
        assert.deepEqual(await said({ rewound: true, from: 2 }), [
          [2, 'two'],
          [3, 'three', 'rewound'],
          [4, 'four', 'rewound'],
        ]);
      },
    },
    {
      name: 'conversations taken back: counts the newest messages among those that are left',
      async run(desk) {
        const { said, takeBack } = rewindAt(desk);
        await takeBack('r', 3);
        assert.deepEqual(await said({ last: 2 }), [
          [2, 'two'],
          [3, 'three'],
        ]);
        assert.deepEqual(await said({ last: 2, rewound: true }), [
          [3, 'three'],
          [4, 'four', 'rewound'],
        ]);
      },
    },
    {
      name: 'conversations taken back: says how many are left, and how many there are with those that were taken back',
      async run(desk) {
        const { takeBack } = rewindAt(desk);
        const counts = async () => [
          await desk.store.counts.messages('s', false),
          await desk.store.counts.messages('s', true),
        ];
        assert.deepEqual(await counts(), [4, 4]);
        await takeBack('r', 2);
        await takeBack('again', 1);
        assert.deepEqual(await counts(), [1, 4]);
      },
    },
    {
      name: 'conversations taken back: goes on with the next number, and shows what is said afterwards',
      async run(desk) {
        const { said, takeBack } = rewindAt(desk);
        await takeBack('r', 1);
        has(await desk.store.append('s', [user('five')]), { firstSeq: 5, lastSeq: 5 });
        assert.deepEqual(await said(), [
          [1, 'one'],
          [5, 'five'],
        ]);
      },
    },
    {
      name: 'conversations taken back: hides nothing that was said after the first time, when it is asked again for the same run',
      async run(desk) {
        const { said, takeBack } = rewindAt(desk);
        await takeBack('r', 2);
        await desk.store.append('s', [user('five')]);
        await takeBack('r', 2);
        assert.deepEqual((await said()).at(-1), [5, 'five']);
      },
    },
    {
      name: 'conversations taken back: gives everything back as it was, and again without effect',
      async run(desk) {
        const { said, takeBack, giveBack } = rewindAt(desk);
        const before = await said();
        await takeBack('r', 0);
        assert.deepEqual(await said(), []);
        assert.deepEqual(await giveBack('r'), { number: 1, status: 'done' });
        assert.deepEqual(await giveBack('r'), { number: 1, status: 'done' });
        assert.deepEqual(await said(), before);
      },
    },
    {
      name: 'conversations taken back: does not put two endings into one conversation',
      async run(desk) {
        const { said, takeBack, giveBack } = rewindAt(desk);
        await takeBack('r', 2);
        await desk.store.append('s', [user('five')]);
        has(await giveBack('r'), { status: 'skipped' });
        assert.deepEqual(
          (await said()).map(([seq]) => seq),
          [1, 2, 5],
        );
      },
    },
    {
      name: 'conversations taken back: gives back one rewind after another, the latest first',
      async run(desk) {
        const { said, takeBack, giveBack } = rewindAt(desk);
        await takeBack('early', 3);
        await desk.store.append('s', [user('five')]);
        await takeBack('late', 1);
        assert.deepEqual(
          (await said()).map(([seq]) => seq),
          [1],
        );
        await giveBack('late');
        assert.deepEqual(
          (await said()).map(([seq]) => seq),
          [1, 2, 3, 5],
        );
      },
    },
    {
      name: 'conversations taken back: still finds what was taken back, and says that it was',
      async run(desk) {
        const { takeBack } = rewindAt(desk);
        await takeBack('r', 2);
        const [hit] = await desk.store.search({ text: 'four' });
        has(hit?.message, { seq: 4, rewound: true });
        const [kept] = await desk.store.search({ text: 'two' });
        lacks(kept?.message, 'rewound');
      },
    },
    {
      name: 'conversations taken back: leaves counts, search and transcript in order',
      async run(desk) {
        const { takeBack } = rewindAt(desk);
        await takeBack('r', 1);
        await desk.store.append('s', [user('five')]);
        assert.deepEqual(await checkProblems(desk.store), []);
        has(await desk.store.get('s'), { messageCount: 5 });
      },
    },
    {
      name: 'conversations taken back: is gone with its session',
      async run(desk) {
        const { said, takeBack } = rewindAt(desk);
        await takeBack('r', 1);
        await removeSessions(desk.store, ['s']);
        await desk.store.create({ id: 's', source: 'cli' });
        await desk.store.append('s', ['new one', 'new two'].map(user));
        assert.deepEqual(
          (await said()).map(([seq]) => seq),
          [1, 2],
        );
        assert.deepEqual(await checkProblems(desk.store), []);
      },
    },
    {
      name: 'conversations taken back: skips a session that is not there',
      async run(desk) {
        const { takeBack, giveBack } = rewindAt(desk);
        has(await takeBack('r', 1, 'nobody'), { status: 'skipped' });
        has(await giveBack('r', 'nobody'), { status: 'skipped' });
      },
    },
  ],
  aConversation,
);

async function aConversation({ store }: StoreDesk): Promise<void> {
  await store.create({ id: 's', source: 'cli' });
  await store.append('s', ['one', 'two', 'three', 'four'].map(user));
}

function rewindAt(desk: StoreDesk) {
  const said = async (range?: MessageRange) =>
    (await collect(desk.store.messages('s', range))).map(({ seq, content, rewound }) => [
      seq,
      content,
      ...(rewound === true ? ['rewound'] : []),
    ]);
  const takeBack = (run: string, afterSeq: number, id = 's') =>
    desk.store.rewind.takeBack(run, { number: 1, id, afterSeq });
  const giveBack = (run: string, id = 's') => desk.store.rewind.bringBack(run, { number: 1, id, afterSeq: 0 });
  return { said, takeBack, giveBack };
}
