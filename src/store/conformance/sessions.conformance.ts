import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { messagesOf, user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { CHILD_KINDS, NO_USAGE } from '../../core/sessions/session.ts';

/** What a session is, and what its id and other names may be. */
export function sessionsConformance(desk: StoreDesk): void {
  const { create, contents, listed, reopen } = desk;

  describe('sessions', () => {
    it('gives back what it was told, also after closing and opening again', async () => {
      const given = {
        id: 'given',
        source: 'telegram',
        routeKey: 'telegram:42',
        title: 'Ein Titel – 標題 🌲',
        model: 'model-1',
        workdir: '/srv/work',
        tags: ['b', 'a', 'b'],
      };
      await create({ id: 'root' });
      const facts = await desk.store.create({ ...given, parentId: 'root', childKind: 'branch' });
      expect(facts).toEqual({
        ...given,
        parentId: 'root',
        childKind: 'branch',
        tags: ['a', 'b'],
        startedAt: NOW,
        lastActiveAt: NOW,
        pinned: false,
        messageCount: 0,
        toolCallCount: 0,
        usage: NO_USAGE,
        contentBytes: 0,
        transcriptBytes: 0,
        dumpBytes: 0,
      });
      await reopen();
      expect(await desk.store.get('given')).toEqual(facts);
    });

    it('makes ids that are different and sort by time', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 20; index += 1) {
        ids.push((await create()).id);
        desk.clock.advance(1);
      }
      expect(new Set(ids).size).toBe(20);
      expect(ids.toSorted()).toEqual(ids);
    });

    it('knows nothing of a session that was never created', async () => {
      expect(await desk.store.get('nowhere')).toBeUndefined();
      await expect(desk.store.append('nowhere', [user('hello')])).rejects.toMatchObject({ code: 'not-found' });
      await expect(messagesOf(desk.store, 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
      await expect(desk.store.end('nowhere', 'done')).rejects.toMatchObject({ code: 'not-found' });
      await expect(desk.store.resume('nowhere')).rejects.toMatchObject({ code: 'not-found' });
      await expect(desk.store.change('nowhere', { title: 'x' })).rejects.toMatchObject({ code: 'not-found' });
      await expect(desk.store.recordUsage('nowhere', { model: 'm' })).rejects.toMatchObject({ code: 'not-found' });
    });

    it('refuses an id that is taken and leaves the first session as it was', async () => {
      const first = await create({ id: 'taken', title: 'first' });
      await expect(create({ id: 'taken', title: 'second' })).rejects.toMatchObject({ code: 'refused' });
      expect(await desk.store.get('taken')).toEqual(first);
    });

    it.each(CHILD_KINDS)('keeps a child of the kind %s', async (childKind) => {
      const parent = await create();
      const child = await create({ parentId: parent.id, childKind });
      expect(await desk.store.get(child.id)).toMatchObject({ parentId: parent.id, childKind });
    });

    it('refuses a parent that does not exist', async () => {
      await expect(create({ parentId: 'nowhere', childKind: 'branch' })).rejects.toMatchObject({ code: 'not-found' });
      expect(await listed()).toEqual([]);
    });

    it('keeps a child whose parent is removed', async () => {
      await create({ id: 'parent' });
      await create({ id: 'child', parentId: 'parent', childKind: 'subagent' });
      await removeSessions(desk.store, ['parent']);
      expect(await desk.store.get('child')).toMatchObject({ parentId: 'parent' });
    });

    it('finds ids by their first characters, and nothing by a pattern', async () => {
      for (const id of ['abc', 'abd', 'b', 'a%', 'a_', 'ab']) await create({ id });
      const named = (text: string, limit: number) => desk.store.idsNamed({ kind: 'id-start', text }, limit);
      expect(new Set(await named('ab', 10))).toEqual(new Set(['ab', 'abc', 'abd']));
      expect(await named('ab', 2)).toHaveLength(2);
      expect(await named('a%', 10)).toEqual(['a%']);
      expect(await named('*', 10)).toEqual([]);
    });

    it('finds ids by their last characters, of which there are six at least', async () => {
      for (const id of ['1-abcdef', '2-abcdef', 'abcdef', '3-bcdef', '4-🌲bcdef']) await create({ id });
      const named = async (text: string) => new Set(await desk.store.idsNamed({ kind: 'id-end', text }, 10));
      expect(await named('abcdef')).toEqual(new Set(['1-abcdef', '2-abcdef', 'abcdef']));
      expect(await named('1-abcdef')).toEqual(new Set(['1-abcdef']));
      expect(await named('🌲bcdef')).toEqual(new Set(['4-🌲bcdef']));
      expect(await named('bcdef')).toEqual(new Set());
      expect(await named('ABCDEF')).toEqual(new Set());
      expect(await named('00001-abcdef')).toEqual(new Set());
      expect(await named('_bcdef')).toEqual(new Set());
    });

    it('finds ids by whole titles, and by what titles begin with', async () => {
      for (const [id, title] of [
        ['a', 'Blog'],
        ['b', 'Blog posts'],
        ['c', 'blog'],
        ['d', 'The Blog'],
        ['e', '%'],
      ] as const)
        await create({ id, title });
      await create({ id: 'f' });
      const named = async (kind: 'title' | 'title-start', text: string) =>
        new Set(await desk.store.idsNamed({ kind, text }, 10));
      expect(await named('title', 'Blog')).toEqual(new Set(['a']));
      expect(await named('title-start', 'BLOG')).toEqual(new Set(['a', 'b', 'c']));
      expect(await named('title-start', 'blog ')).toEqual(new Set(['b']));
      expect(await named('title', 'nothing')).toEqual(new Set());
      expect(await named('title-start', '_')).toEqual(new Set());
      await removeSessions(desk.store, ['b']);
      expect(await named('title-start', 'blog ')).toEqual(new Set());
    });
  });

  describe('ids', () => {
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

    it('takes any text as an id and keeps each apart from every other', async () => {
      for (const id of STRANGE_IDS) {
        await create({ id });
        await desk.store.append(id, [user(`of ${id}`)]);
      }
      await reopen();
      for (const id of STRANGE_IDS) {
        expect((await desk.store.get(id))?.id).toBe(id);
        expect(await contents(id)).toEqual([`of ${id}`]);
      }
      expect(await listed()).toHaveLength(STRANGE_IDS.length);
    });

    it.each([
      ['an empty id', ''],
      ['513 bytes', 'x'.repeat(513)],
      ['more than 512 bytes in fewer characters', 'é'.repeat(257)],
      ['a line break', 'a\nb'],
      ['a NUL', 'a\0b'],
      ['an escape sequence', '\u001b[31mred'],
      ['a C1 control character', 'a\u0085b'],
      ['half of a pair', 'a\ud83d'],
    ])('refuses %s', async (_what, id) => {
      await expect(create({ id })).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
      expect(await listed()).toEqual([]);
    });

    it.each(['source', 'title', 'model', 'workdir', 'routeKey'] as const)(
      'refuses a %s that could not be stored exactly',
      async (field) => {
        for (const text of ['', 'a\nb', 'a\ud800']) {
          await expect(create({ [field]: text })).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
        }
      },
    );

    it.each([Number.NaN, 1.5, -1, Number.POSITIVE_INFINITY, 1e300])(
      'refuses to start a session at %d milliseconds',
      async (startedAt) => {
        await expect(create({ startedAt })).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
      },
    );
  });
}
