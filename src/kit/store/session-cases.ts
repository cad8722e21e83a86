import assert from 'node:assert/strict';
import { messagesOf, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import { CHILD_KINDS, NO_USAGE } from '../../core/sessions/session.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** What a session is, and what its id and other names may be. */
export const sessionCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'sessions: gives back what it was told, also after closing and opening again',
    async run(desk) {
      const given = {
        id: 'given',
        source: 'telegram',
        routeKey: 'telegram:42',
        title: 'Ein Titel – 標題 🌲',
        model: 'model-1',
        workdir: '/srv/work',
        tags: ['b', 'a', 'b'],
      };
      await desk.create({ id: 'root' });
      const facts = await desk.store.create({ ...given, parentId: 'root', childKind: 'branch' });
      assert.deepEqual(facts, {
        ...given,
        parentId: 'root',
        childKind: 'branch',
        tags: ['a', 'b'],
        startedAt: KIT_NOW,
        lastActiveAt: KIT_NOW,
        pinned: false,
        messageCount: 0,
        toolCallCount: 0,
        usage: NO_USAGE,
        contentBytes: 0,
        transcriptBytes: 0,
        dumpBytes: 0,
      });
      await desk.reopen();
      assert.deepEqual(await desk.store.get('given'), facts);
    },
  },
  {
    name: 'sessions: makes ids that are different and sort by time',
    async run(desk) {
      const ids: string[] = [];
      for (let index = 0; index < 20; index += 1) {
        ids.push((await desk.create()).id);
        desk.clock.advance(1);
      }
      assert.equal(new Set(ids).size, 20);
      assert.deepEqual(ids.toSorted(), ids);
    },
  },
  {
    name: 'sessions: knows nothing of a session that was never created',
    async run(desk) {
      assert.equal(await desk.store.get('nowhere'), undefined);
      await assert.rejects(desk.store.append('nowhere', [user('hello')]), { code: 'not-found' });
      await assert.rejects(messagesOf(desk.store, 'nowhere'), { code: 'not-found' });
      await assert.rejects(desk.store.end('nowhere', 'done'), { code: 'not-found' });
      await assert.rejects(desk.store.resume('nowhere'), { code: 'not-found' });
      await assert.rejects(desk.store.change('nowhere', { title: 'x' }), { code: 'not-found' });
      await assert.rejects(desk.store.recordUsage('nowhere', { model: 'm' }), { code: 'not-found' });
    },
  },
  {
    name: 'sessions: refuses an id that is taken and leaves the first session as it was',
    async run(desk) {
      const first = await desk.create({ id: 'taken', title: 'first' });
      await assert.rejects(desk.create({ id: 'taken', title: 'second' }), { code: 'refused' });
      assert.deepEqual(await desk.store.get('taken'), first);
    },
  },
  ...CHILD_KINDS.map(
    (childKind): KitCase<StoreDesk> => ({
      name: `sessions: keeps a child of the kind ${childKind}`,
      async run(desk) {
        const parent = await desk.create();
        const child = await desk.create({ parentId: parent.id, childKind });
        has(await desk.store.get(child.id), { parentId: parent.id, childKind });
      },
    }),
  ),
  {
    name: 'sessions: refuses a parent that does not exist',
    async run(desk) {
      await assert.rejects(desk.create({ parentId: 'nowhere', childKind: 'branch' }), { code: 'not-found' });
      assert.deepEqual(await desk.listed(), []);
    },
  },
  {
    name: 'sessions: keeps a child whose parent is removed',
    async run(desk) {
      await desk.create({ id: 'parent' });
      await desk.create({ id: 'child', parentId: 'parent', childKind: 'subagent' });
      await removeSessions(desk.store, ['parent']);
      has(await desk.store.get('child'), { parentId: 'parent' });
    },
  },
  {
    name: 'sessions: finds ids by their first characters, and nothing by a pattern',
    async run(desk) {
      for (const id of ['abc', 'abd', 'b', 'a%', 'a_', 'ab']) await desk.create({ id });
      const named = (text: string, limit: number) => desk.store.idsNamed({ kind: 'id-start', text }, limit);
      assert.deepEqual(new Set(await named('ab', 10)), new Set(['ab', 'abc', 'abd']));
      assert.equal((await named('ab', 2)).length, 2);
      assert.deepEqual(await named('a%', 10), ['a%']);
      assert.deepEqual(await named('*', 10), []);
    },
  },
  {
    name: 'sessions: finds ids by their last characters, of which there are six at least',
    async run(desk) {
      for (const id of ['1-abcdef', '2-abcdef', 'abcdef', '3-bcdef', '4-🌲bcdef']) await desk.create({ id });
      const named = async (text: string) => new Set(await desk.store.idsNamed({ kind: 'id-end', text }, 10));
      assert.deepEqual(await named('abcdef'), new Set(['1-abcdef', '2-abcdef', 'abcdef']));
      assert.deepEqual(await named('1-abcdef'), new Set(['1-abcdef']));
      assert.deepEqual(await named('🌲bcdef'), new Set(['4-🌲bcdef']));
      assert.deepEqual(await named('bcdef'), new Set());
      assert.deepEqual(await named('ABCDEF'), new Set());
      assert.deepEqual(await named('00001-abcdef'), new Set());
      assert.deepEqual(await named('_bcdef'), new Set());
    },
  },
  {
    name: 'sessions: finds ids by whole titles, and by what titles begin with',
    async run(desk) {
      for (const [id, title] of [
        ['a', 'Blog'],
        ['b', 'Blog posts'],
        ['c', 'blog'],
        ['d', 'The Blog'],
        ['e', '%'],
      ] as const)
        await desk.create({ id, title });
      await desk.create({ id: 'f' });
      const named = async (kind: 'title' | 'title-start', text: string) =>
        new Set(await desk.store.idsNamed({ kind, text }, 10));
      assert.deepEqual(await named('title', 'Blog'), new Set(['a']));
      assert.deepEqual(await named('title-start', 'BLOG'), new Set(['a', 'b', 'c']));
      assert.deepEqual(await named('title-start', 'blog '), new Set(['b']));
      assert.deepEqual(await named('title', 'nothing'), new Set());
      assert.deepEqual(await named('title-start', '_'), new Set());
      await removeSessions(desk.store, ['b']);
      assert.deepEqual(await named('title-start', 'blog '), new Set());
    },
  },
  {
    name: 'ids: takes any text as an id and keeps each apart from every other',
    async run(desk) {
      for (const id of STRANGE_IDS) {
        await desk.create({ id });
        await desk.store.append(id, [user(`of ${id}`)]);
      }
      await desk.reopen();
      for (const id of STRANGE_IDS) {
        assert.equal((await desk.store.get(id))?.id, id);
        assert.deepEqual(await desk.contents(id), [`of ${id}`]);
      }
      assert.equal((await desk.listed()).length, STRANGE_IDS.length);
    },
  },
  ...Object.entries({
    'an empty id': '',
    '513 bytes': 'x'.repeat(513),
    'more than 512 bytes in fewer characters': 'é'.repeat(257),
    'a line break': 'a\nb',
    'a NUL': 'a\0b',
    'an escape sequence': '\u001b[31mred',
    'a C1 control character': 'a\u0085b',
    'half of a pair': 'a\ud83d',
  }).map(
    ([what, id]): KitCase<StoreDesk> => ({
      name: `ids: refuses ${what}`,
      async run(desk) {
        await assert.rejects(desk.create({ id }), { name: 'Failure', code: 'usage' });
        assert.deepEqual(await desk.listed(), []);
      },
    }),
  ),
  ...(['source', 'title', 'model', 'workdir', 'routeKey'] as const).map(
    (field): KitCase<StoreDesk> => ({
      name: `ids: refuses a ${field} that could not be stored exactly`,
      async run(desk) {
        for (const text of ['', 'a\nb', 'a\ud800']) {
          await assert.rejects(desk.create({ [field]: text }), { name: 'Failure', code: 'usage' });
        }
      },
    }),
  ),
  ...[Number.NaN, 1.5, -1, Number.POSITIVE_INFINITY, 1e300].map(
    (startedAt): KitCase<StoreDesk> => ({
      name: `ids: refuses to start a session at ${startedAt} milliseconds`,
      async run(desk) {
        await assert.rejects(desk.create({ startedAt }), { name: 'Failure', code: 'usage' });
      },
    }),
  ),
]);

const STRANGE_IDS = [
  '../x',
  '..',
  '.',
  '*',
  'a/b',
  'a\\b',
  'CON',
  'con',
  '%',
  '%2e',
  "'; DROP TABLE sessions; --",
  ' leading and trailing ',
  'x'.repeat(300),
  'é'.repeat(256),
  '🌲🪵👩‍👩‍👧',
  'a\u0301',
  'á',
];
