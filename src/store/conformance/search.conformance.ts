import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { NOW } from '../../../test/support/clock.ts';
import { checkProblems, user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { Failure } from '../../core/failure.ts';

/** What is found, and that no query can do harm. */
export function searchConformance(desk: StoreDesk): void {
  const { create, say, foundIds } = desk;

  describe('search', () => {
    it('finds words in any case, with or without accents', async () => {
      await say('a', 'The Café is closed on Sunday');
      for (const text of ['café', 'cafe', 'CAFE', 'Cafe sunday', 'sunday CLOSED']) {
        expect(await foundIds(text), text).toEqual(['a']);
      }
      await say('b', 'an ordinary cafe');
      expect(new Set(await foundIds('CAFÉ'))).toEqual(new Set(['a', 'b']));
    });

    it('wants all the words, in one message', async () => {
      await say('a', 'alpha beta', 'gamma');
      expect(await foundIds('beta alpha')).toEqual(['a']);
      expect(await foundIds('alpha gamma')).toEqual([]);
    });

    it('takes a phrase literally and leaves out what is not wanted', async () => {
      await say('a', 'the disk is full');
      await say('b', 'the full disk');
      expect(await foundIds('"disk is full"')).toEqual(['a']);
      expect(await foundIds('disk full')).toHaveLength(2);
      expect(await foundIds('disk -is')).toEqual(['b']);
      expect(await foundIds('full -"full disk"')).toEqual(['a']);
    });

    it('finds only what was said since, in a session that is older; a title counts by the last use', async () => {
      await desk.createAt('a', NOW, { title: 'splines' });
      await desk.store.append('a', [user('reticulating')]);
      desk.clock.set(NOW + 10);
      await desk.store.append('a', [user('disk full')]);
      await desk.createAt('b', NOW + 5, { title: 'splines too' });
      const found = async (text: string, since: number) =>
        (await desk.store.search({ text, since })).map(({ session }) => session.id);
      expect(await found('reticulating', NOW)).toEqual(['a']);
      expect(await found('reticulating', NOW + 1)).toEqual([]);
      expect(await found('ticulat', NOW + 1)).toEqual([]);
      expect(await found('full', NOW + 10)).toEqual(['a']);
      expect(await found('splines', NOW + 6)).toEqual(['a']);
      expect(await found('splines', NOW + 11)).toEqual([]);
    });

    it('finds parts of words', async () => {
      await say('a', 'reticulating splines in /usr/share/coppice.d');
      for (const text of ['ticul', 'plin', 'share/copp', 'coppice.d'])
        expect(await foundIds(text), text).toEqual(['a']);
      expect(await foundIds('tixul')).toEqual([]);
    });

    it('finds Chinese, Japanese and Korean, also a single character', async () => {
      await say('zh', '今天磁盘空间不足');
      await say('ja', '設定ファイルを読み込めません');
      await say('ko', '디스크 공간이 부족합니다');
      const wanted = {
        zh: ['足', '磁盘', '磁盘空', '空间不足'],
        ja: ['設', 'せん', '読み込', 'ファイル'],
        ko: ['족', '공간', '부족합니다'],
      };
      for (const [id, texts] of Object.entries(wanted)) {
        for (const text of texts) expect(await foundIds(text), text).toEqual([id]);
      }
      expect(await foundIds('盘磁')).toEqual([]);
    });

    it('finds a single character that begins hundreds of different words', async () => {
      const texts = Array.from({ length: 400 }, (_, index) => `心${String.fromCodePoint(0x4e00 + index)}`);
      await say('a', ...texts);
      expect(await foundIds('心')).toEqual(['a']);
    });

    it('finds the words of tool calls and of structured content, and not those of images', async () => {
      await create({ id: 'a' });
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
      expect(await foundIds('zebra')).toEqual(['a']);
      expect(await foundIds('okapi')).toEqual(['a']);
      expect(await foundIds('quagga')).toEqual([]);
    });

    it('shows titles first, then whole words, then parts', async () => {
      await say('part', 'a splinelike thing');
      await say('words', 'one spline here');
      await create({ id: 'title', title: 'All about spline' });
      const hits = await desk.store.search({ text: 'spline' });
      expect(hits.map(({ session, match }) => [session.id, match])).toEqual([
        ['title', 'title'],
        ['words', 'words'],
        ['part', 'part'],
      ]);
      expect(hits[0]).not.toHaveProperty('message');
      expect(hits[1]?.message).toEqual({ seq: 1, role: 'user', at: NOW });
    });

    it('gives one hit for each session, however often it matches, and no more than asked for', async () => {
      for (const id of ['a', 'b', 'c']) await say(id, 'spline', 'spline again', 'and spline');
      expect(await foundIds('spline')).toHaveLength(3);
      expect(await desk.store.search({ text: 'spline', limit: 2 })).toHaveLength(2);
    });

    it('points to the message when the title matches too', async () => {
      await create({ id: 'a', title: 'spline' });
      await desk.store.append('a', [user('nothing here'), user('a spline at last')]);
      expect(await desk.store.search({ text: 'spline' })).toMatchObject([{ match: 'title', message: { seq: 2 } }]);
    });

    it('finds a new title, and no longer the old one', async () => {
      await create({ id: 'a', title: 'wombat' });
      await desk.store.change('a', { title: 'numbat' });
      expect(await foundIds('wombat')).toEqual([]);
      expect(await foundIds('numbat')).toEqual(['a']);
    });

    it('filters by source', async () => {
      await say('a', 'spline');
      await create({ id: 'b', source: 'cron', title: 'spline' });
      await desk.store.append('b', [user('spline and splines')]);
      expect(await foundIds('spline', 'cron')).toEqual(['b']);
      expect(await foundIds('pline', 'cli')).toEqual(['a']);
    });

    it('marks the words inside the excerpt', async () => {
      await say('a', `${'filler '.repeat(500)}the Needle is ${'filler '.repeat(500)}`);
      const [hit] = await desk.store.search({ text: 'needle' });
      const { text, marks } = hit?.excerpt ?? { text: '', marks: [] };
      expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(['Needle']);
      expect(text.length).toBeLessThan(300);
    });

    it.each([
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
    ])('never fails on the query %j except to say that it is no query', async (text) => {
      await say('a', 'spline 日本語 🌲 NEAR text:spline');
      const outcome: unknown = await desk.store.search({ text }).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'Failure', code: 'usage' });
      else expect(outcome).toBeInstanceOf(Array);
    });

    it('never fails on any query, and marks stay inside the excerpt', async () => {
      await say('a', 'the quick brown fox: "quoted" (NEAR) 今天磁盘空间 ёлка İstanbul straße');
      await fc.assert(
        fc.asyncProperty(anyQuery(), async (text) => {
          const hits = await desk.store.search({ text }).catch((error: unknown) => {
            if (error instanceof Failure && error.code === 'usage') return [];
            throw error;
          });
          for (const { excerpt } of hits) {
            for (const [from, to] of excerpt.marks) {
              expect(from).toBeGreaterThanOrEqual(0);
              expect(to).toBeLessThanOrEqual(excerpt.text.length);
              expect(from).toBeLessThan(to);
            }
          }
        }),
        { numRuns: 300 },
      );
    });

    it('never finds what was removed', async () => {
      await say('a', 'spline 磁盘');
      await create({ id: 'b', title: 'spline' });
      await removeSessions(desk.store, ['a', 'b']);
      for (const text of ['spline', 'plin', '磁', '磁盘']) expect(await foundIds(text), text).toEqual([]);
      expect(await checkProblems(desk.store)).toEqual([]);
    });
  });
}

function anyQuery(): fc.Arbitrary<string> {
  const word = fc.constantFrom(
    'quick',
    'fox',
    'İ',
    'ß',
    'ё',
    '磁',
    '磁盘',
    '空间',
    'NEAR',
    'AND',
    '"',
    '-',
    '*',
    '(',
    ':',
    ' ',
  );
  return fc.oneof(
    anyText(),
    fc.array(fc.oneof(word, anyText()), { maxLength: 8 }).map((parts) => parts.join('')),
  );
}
