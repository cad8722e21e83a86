import assert from 'node:assert/strict';
import { checkProblems, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has, lacks } from './has.ts';

/** What is found, and that no query can do harm. */
export const searchCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'search: finds words in any case, with or without accents',
    async run(desk) {
      await desk.say('a', 'The Café is closed on Sunday');
      for (const text of ['café', 'cafe', 'CAFE', 'Cafe sunday', 'sunday CLOSED']) {
        assert.deepEqual([text, await desk.foundIds(text)], [text, ['a']]);
      }
      await desk.say('b', 'an ordinary cafe');
      assert.deepEqual(new Set(await desk.foundIds('CAFÉ')), new Set(['a', 'b']));
    },
  },
  {
    name: 'search: wants all the words, in one message',
    async run(desk) {
      await desk.say('a', 'alpha beta', 'gamma');
      assert.deepEqual(await desk.foundIds('beta alpha'), ['a']);
      assert.deepEqual(await desk.foundIds('alpha gamma'), []);
    },
  },
  {
    name: 'search: takes a phrase literally and leaves out what is not wanted',
    async run(desk) {
      await desk.say('a', 'the disk is full');
      await desk.say('b', 'the full disk');
      assert.deepEqual(await desk.foundIds('"disk is full"'), ['a']);
      assert.equal((await desk.foundIds('disk full')).length, 2);
      assert.deepEqual(await desk.foundIds('disk -is'), ['b']);
      assert.deepEqual(await desk.foundIds('full -"full disk"'), ['a']);
    },
  },
  {
    name: 'search: finds only what was said since, in a session that is older; a title counts by the last use',
    async run(desk) {
      await desk.createAt('a', KIT_NOW, { title: 'splines' });
      await desk.store.append('a', [user('reticulating')]);
      desk.clock.set(KIT_NOW + 10);
      await desk.store.append('a', [user('disk full')]);
      await desk.createAt('b', KIT_NOW + 5, { title: 'splines too' });
      const found = async (text: string, since: number) =>
        (await desk.store.search({ text, since })).map(({ session }) => session.id);
      assert.deepEqual(await found('reticulating', KIT_NOW), ['a']);
      assert.deepEqual(await found('reticulating', KIT_NOW + 1), []);
      assert.deepEqual(await found('ticulat', KIT_NOW + 1), []);
      assert.deepEqual(await found('full', KIT_NOW + 10), ['a']);
      assert.deepEqual(await found('splines', KIT_NOW + 6), ['a']);
      assert.deepEqual(await found('splines', KIT_NOW + 11), []);
    },
  },
  {
    name: 'search: finds parts of words',
    async run(desk) {
      await desk.say('a', 'reticulating splines in /usr/share/coppice.d');
      for (const text of ['ticul', 'plin', 'share/copp', 'coppice.d'])
        assert.deepEqual([text, await desk.foundIds(text)], [text, ['a']]);
      assert.deepEqual(await desk.foundIds('tixul'), []);
    },
  },
  {
    name: 'search: finds Chinese, Japanese and Korean, also a single character',
    async run(desk) {
      await desk.say('zh', '今天磁盘空间不足');
      await desk.say('ja', '設定ファイルを読み込めません');
      await desk.say('ko', '디스크 공간이 부족합니다');
      const wanted = {
        zh: ['足', '磁盘', '磁盘空', '空间不足'],
        ja: ['設', 'せん', '読み込', 'ファイル'],
        ko: ['족', '공간', '부족합니다'],
      };
      for (const [id, texts] of Object.entries(wanted)) {
        for (const text of texts) assert.deepEqual([text, await desk.foundIds(text)], [text, [id]]);
      }
      assert.deepEqual(await desk.foundIds('盘磁'), []);
    },
  },
  {
    name: 'search: finds a single character that begins hundreds of different words',
    async run(desk) {
      const texts = Array.from({ length: 400 }, (_, index) => `心${String.fromCodePoint(0x4e00 + index)}`);
      await desk.say('a', ...texts);
      assert.deepEqual(await desk.foundIds('心'), ['a']);
    },
  },
  {
    name: 'search: finds the words of tool calls and of structured content, and not those of images',
    async run(desk) {
      await desk.create({ id: 'a' });
      await desk.store.append('a', [
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: '1', name: 'read_file', arguments: { path: 'zebra.txt' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'okapi' },
            { type: 'image', data: 'quagga' },
          ],
        },
      ]);
      assert.deepEqual(await desk.foundIds('zebra'), ['a']);
      assert.deepEqual(await desk.foundIds('okapi'), ['a']);
      assert.deepEqual(await desk.foundIds('quagga'), []);
    },
  },
  {
    name: 'search: shows titles first, then whole words, then parts',
    async run(desk) {
      await desk.say('part', 'a splinelike thing');
      await desk.say('words', 'one spline here');
      await desk.create({ id: 'title', title: 'All about spline' });
      const hits = await desk.store.search({ text: 'spline' });
      assert.deepEqual(
        hits.map(({ session, match }) => [session.id, match]),
        [
          ['title', 'title'],
          ['words', 'words'],
          ['part', 'part'],
        ],
      );
      lacks(hits[0], 'message');
      assert.deepEqual(hits[1]?.message, { seq: 1, role: 'user', at: KIT_NOW });
    },
  },
  {
    name: 'search: gives one hit for each session, however often it matches, and no more than asked for',
    async run(desk) {
      for (const id of ['a', 'b', 'c']) await desk.say(id, 'spline', 'spline again', 'and spline');
      assert.equal((await desk.foundIds('spline')).length, 3);
      assert.equal((await desk.store.search({ text: 'spline', limit: 2 })).length, 2);
    },
  },
  {
    name: 'search: points to the message when the title matches too',
    async run(desk) {
      await desk.create({ id: 'a', title: 'spline' });
      await desk.store.append('a', [user('nothing here'), user('a spline at last')]);
      has(await desk.store.search({ text: 'spline' }), [{ match: 'title', message: { seq: 2 } }]);
    },
  },
  {
    name: 'search: finds a new title, and no longer the old one',
    async run(desk) {
      await desk.create({ id: 'a', title: 'wombat' });
      await desk.store.change('a', { title: 'numbat' });
      assert.deepEqual(await desk.foundIds('wombat'), []);
      assert.deepEqual(await desk.foundIds('numbat'), ['a']);
    },
  },
  {
    name: 'search: filters by source',
    async run(desk) {
      await desk.say('a', 'spline');
      await desk.create({ id: 'b', source: 'cron', title: 'spline' });
      await desk.store.append('b', [user('spline and splines')]);
      assert.deepEqual(await desk.foundIds('spline', 'cron'), ['b']);
      assert.deepEqual(await desk.foundIds('pline', 'cli'), ['a']);
    },
  },
  {
    name: 'search: marks the words inside the excerpt',
    async run(desk) {
      await desk.say('a', `${'filler '.repeat(500)}the Needle is ${'filler '.repeat(500)}`);
      const [hit] = await desk.store.search({ text: 'needle' });
      const { text, marks } = hit?.excerpt ?? { text: '', marks: [] };
      assert.deepEqual(
        marks.map(([from, to]) => text.slice(from, to)),
        ['Needle'],
      );
      assert.ok(text.length < 300);
    },
  },
  ...[
    '"',
    '""',
    '*',
    '-',
    '--',
    'NEAR(',
    'NEAR(a b, 3)',
    'a:b',
    'text:spline',
    '^a',
    '(',
    ')',
    'AND',
    'a AND',
    'OR OR',
    'NOT',
    '{',
    '+',
    "'",
    ';',
    '\\',
    '\0',
    '\ud800',
    '🌲',
    '👩‍👩‍👧',
    '日*',
    '%',
    '_',
    'a'.repeat(10_000),
    '"' + 'a b '.repeat(2500) + '"',
    'a '.repeat(5000),
    '日'.repeat(10_000),
    '"a" - "b',
    '\u0301',
    '\u200b',
  ].map(
    (text): KitCase<StoreDesk> => ({
      name: `search: never fails on the query ${JSON.stringify(text)} except to say that it is no query`,
      async run(desk) {
        await desk.say('a', 'spline 日本語 🌲 NEAR text:spline');
        const outcome: unknown = await desk.store.search({ text }).catch((error: unknown) => error);
        if (outcome instanceof Error) has(outcome, { name: 'Failure', code: 'usage' });
        else assert.ok(Array.isArray(outcome));
      },
    }),
  ),
  {
    name: 'search: never finds what was removed',
    async run(desk) {
      await desk.say('a', 'spline 磁盘');
      await desk.create({ id: 'b', title: 'spline' });
      await removeSessions(desk.store, ['a', 'b']);
      for (const text of ['spline', 'plin', '磁', '磁盘'])
        assert.deepEqual([text, await desk.foundIds(text)], [text, []]);
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
]);
