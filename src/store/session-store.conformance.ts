import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ManualClock, manualClock, NOW } from '../../test/support/clock.ts';
import { checkProblems, collect, messagesOf, user } from '../../test/support/collect.ts';
import { Failure } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';
import { type Message, type NewMessage, ROLES } from '../core/message.ts';
import type { RunItem } from '../core/run.ts';
import { CHILD_KINDS, type ModelUsage, type NewSession, NO_USAGE } from '../core/session.ts';
import { type ImportedSession, type ListQuery, MAX_BATCH, type SessionStore } from '../core/session-store.ts';
import { type FileMover, sessionFingerprint } from '../core/session-trash.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';

/** A place that keeps a store between openings: a directory, a schema of a server. Closing it removes what is there. */
export interface StorePlace extends AsyncDisposable {
  open(options: { readonly clock: Clock }): Promise<SessionStore>;
}

/** The contract of `SessionStore`, as behaviour. `newPlace` gives an empty place for each test. */
export function sessionStoreConformance(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(name, () => {
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

    const reopen = async () => {
      await store[Symbol.asyncDispose]();
      store = await place.open({ clock });
    };
    /** A second store on the same data, as another process would have it. */
    const openOther = async () => {
      const other = await place.open({ clock });
      others.push(other);
      return other;
    };
    const create = (session: Partial<NewSession> = {}) => store.create({ source: 'cli', ...session });
    const factsOf = async (id: string) => {
      const facts = await store.get(id);
      if (facts === undefined) throw new Error(`no session ${id}`);
      return facts;
    };
    const contents = async (id: string) => (await messagesOf(store, id)).map(({ content }) => content);
    const listed = async (query?: ListQuery) => (await collect(store.list(query))).map(({ id }) => id);
    const foundIds = async (text: string, source?: string) => {
      const hits = await store.search({ text, ...(source !== undefined && { source }) });
      return hits.map(({ session }) => session.id);
    };
    const held = async () => (await store.holders()).flatMap(({ sessionIds }) => sessionIds);
    const createAt = async (id: string, at: number, session: Partial<NewSession> = {}) => {
      clock.set(at);
      await create({ id, ...session });
    };
    const say = async (id: string, ...texts: string[]) => {
      if ((await store.get(id)) === undefined) await create({ id });
      await store.append(id, texts.map(user));
    };

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
        const facts = await store.create({ ...given, parentId: 'root', childKind: 'branch' });
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
        expect(await store.get('given')).toEqual(facts);
      });

      it('makes ids that are different and sort by time', async () => {
        const ids: string[] = [];
        for (let index = 0; index < 20; index += 1) {
          ids.push((await create()).id);
          clock.advance(1);
        }
        expect(new Set(ids).size).toBe(20);
        expect(ids.toSorted()).toEqual(ids);
      });

      it('knows nothing of a session that was never created', async () => {
        expect(await store.get('nowhere')).toBeUndefined();
        await expect(store.append('nowhere', [user('hello')])).rejects.toMatchObject({ code: 'not-found' });
        await expect(messagesOf(store, 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
        await expect(store.end('nowhere', 'done')).rejects.toMatchObject({ code: 'not-found' });
        await expect(store.resume('nowhere')).rejects.toMatchObject({ code: 'not-found' });
        await expect(store.change('nowhere', { title: 'x' })).rejects.toMatchObject({ code: 'not-found' });
        await expect(store.recordUsage('nowhere', { model: 'm' })).rejects.toMatchObject({ code: 'not-found' });
      });

      it('refuses an id that is taken and leaves the first session as it was', async () => {
        const first = await create({ id: 'taken', title: 'first' });
        await expect(create({ id: 'taken', title: 'second' })).rejects.toMatchObject({ code: 'refused' });
        expect(await store.get('taken')).toEqual(first);
      });

      it.each(CHILD_KINDS)('keeps a child of the kind %s', async (childKind) => {
        const parent = await create();
        const child = await create({ parentId: parent.id, childKind });
        expect(await store.get(child.id)).toMatchObject({ parentId: parent.id, childKind });
      });

      it('refuses a parent that does not exist', async () => {
        await expect(create({ parentId: 'nowhere', childKind: 'branch' })).rejects.toMatchObject({ code: 'not-found' });
        expect(await listed()).toEqual([]);
      });

      it('keeps a child whose parent is removed', async () => {
        await create({ id: 'parent' });
        await create({ id: 'child', parentId: 'parent', childKind: 'subagent' });
        await store.remove(['parent']);
        expect(await store.get('child')).toMatchObject({ parentId: 'parent' });
      });

      it('finds ids by their first characters, and nothing by a pattern', async () => {
        for (const id of ['abc', 'abd', 'b', 'a%', 'a_', 'ab']) await create({ id });
        expect(new Set(await store.idsStartingWith('ab', 10))).toEqual(new Set(['ab', 'abc', 'abd']));
        expect(await store.idsStartingWith('ab', 2)).toHaveLength(2);
        expect(await store.idsStartingWith('a%', 10)).toEqual(['a%']);
        expect(await store.idsStartingWith('*', 10)).toEqual([]);
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
          await store.append(id, [user(`of ${id}`)]);
        }
        await reopen();
        for (const id of STRANGE_IDS) {
          expect((await store.get(id))?.id).toBe(id);
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

    describe('messages', () => {
      it('numbers messages from 1 and returns them in the order they came', async () => {
        await create({ id: 's' });
        expect(await store.append('s', [user('a')])).toMatchObject({ firstSeq: 1, lastSeq: 1 });
        expect(await store.append('s', [user('b'), user('c')])).toMatchObject({ firstSeq: 2, lastSeq: 3 });
        expect(await messagesOf(store, 's')).toEqual([
          { ...user('a'), seq: 1, at: NOW },
          { ...user('b'), seq: 2, at: NOW },
          { ...user('c'), seq: 3, at: NOW },
        ]);
      });

      it('numbers the messages of each session on their own', async () => {
        await create({ id: 's' });
        await create({ id: 't' });
        await store.append('s', [user('a'), user('b')]);
        expect(await store.append('t', [user('c')])).toMatchObject({ firstSeq: 1, lastSeq: 1 });
      });

      it('returns exactly what it was given, whatever it is', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(anyMessage(), { minLength: 1, maxLength: 8 }), async (messages) => {
            const { id } = await create();
            await store.append(id, messages);
            const expected = messages.map((message, index) => ({ at: NOW, ...asJson(message), seq: index + 1 }));
            expect(await messagesOf(store, id)).toEqual(expected);
          }),
          { numRuns: 150 },
        );
        expect(await checkProblems(store)).toEqual([]);
      });

      it.each([
        ['nothing', ''],
        ['a NUL', 'before\0after'],
        ['half of a pair at the end', 'half \ud83d'],
        ['half of a pair at the start', '\udc00 half'],
        ['halves in the wrong order', '\udc00\ud83d'],
        ['a byte order mark', '\ufefftext'],
        ['line separators', 'a\u2028b\u2029c\r\n\u0085'],
        ['not normalised text', 'e\u0301 \u1112\u1161\u11ab'],
        ['something like JSON', '{"content":"x"}'],
        ['something like SQL', "'); DELETE FROM messages; --"],
        ['non-characters', '\uffff\ufffe\ufffd'],
      ])('returns %s exactly, with and without tool calls', async (_what, content) => {
        await create({ id: 's' });
        const calls = [{ id: 'call', name: 'tool', arguments: { text: content } }];
        await store.append('s', [
          { role: 'user', content },
          { role: 'assistant', content, toolCalls: calls },
          { role: 'assistant', content: [{ type: 'text', text: content }], metadata: { note: content } },
        ]);
        await reopen();
        expect(await messagesOf(store, 's')).toEqual([
          { seq: 1, at: NOW, role: 'user', content },
          { seq: 2, at: NOW, role: 'assistant', content, toolCalls: calls },
          {
            seq: 3,
            at: NOW,
            role: 'assistant',
            content: [{ type: 'text', text: content }],
            metadata: { note: content },
          },
        ]);
      });

      it('leaves out fields that are undefined and keeps those that are false, empty or null', async () => {
        await create({ id: 's' });
        const message = {
          role: 'tool',
          content: [],
          toolCalls: [],
          toolCallId: '',
          name: undefined,
          failed: false,
          metadata: { kept: null, dropped: undefined, empty: {} },
        } as unknown as NewMessage;
        await store.append('s', [message]);
        const [stored] = await messagesOf(store, 's');
        expect(stored).toStrictEqual({
          seq: 1,
          role: 'tool',
          at: NOW,
          content: [],
          toolCalls: [],
          toolCallId: '',
          failed: false,
          metadata: { kept: null, empty: {} },
        });
      });

      it('keeps a message of 10 MB', async () => {
        await create({ id: 's' });
        const content = 'a long line of words and 長い行 '.repeat(330_000);
        expect(content.length).toBeGreaterThan(8_000_000);
        await store.append('s', [user(content)]);
        const [message] = await messagesOf(store, 's');
        expect(message?.content === content).toBe(true);
        expect((await factsOf('s')).contentBytes).toBeGreaterThanOrEqual(Buffer.byteLength(content));
      });

      it('counts messages, tool calls and bytes', async () => {
        await create({ id: 's' });
        const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'tool', arguments: {} }));
        await store.append('s', [user('hello'), { role: 'assistant', content: '', toolCalls: calls }]);
        expect(await factsOf('s')).toMatchObject({ messageCount: 2, toolCallCount: 3 });
        expect((await factsOf('s')).contentBytes).toBeGreaterThanOrEqual('hello'.length);
      });

      it('takes as many messages at once as it says and refuses more, or none', async () => {
        await create({ id: 's' });
        const batch = Array.from({ length: MAX_BATCH }, (_, index) => user(`message ${index}`));
        expect(await store.append('s', batch)).toMatchObject({ firstSeq: 1, lastSeq: MAX_BATCH });
        await expect(store.append('s', [...batch, user('one more')])).rejects.toMatchObject({ code: 'usage' });
        await expect(store.append('s', [])).rejects.toMatchObject({ code: 'usage' });
        expect(await factsOf('s')).toMatchObject({ messageCount: MAX_BATCH });
      });

      it.each([
        ['an unknown role', { role: 'robot', content: 'x' }],
        ['content that is a number', { role: 'user', content: 7 }],
        ['no content', { role: 'user' }],
        ['a time that is not a number', { role: 'user', content: 'x', at: Number.NaN }],
        ['a time between milliseconds', { role: 'user', content: 'x', at: 0.5 }],
        ['a time before 1970', { role: 'user', content: 'x', at: -1 }],
      ])('refuses %s, and with it the whole batch', async (_what, bad) => {
        await create({ id: 's' });
        await expect(store.append('s', [user('good'), bad as unknown as NewMessage])).rejects.toMatchObject({
          name: 'Failure',
          code: 'usage',
        });
        expect(await messagesOf(store, 's')).toEqual([]);
        expect(await factsOf('s')).toMatchObject({ messageCount: 0, contentBytes: 0 });
      });

      it('reads ranges by number, both ends included, and the newest', async () => {
        await create({ id: 's' });
        await store.append(
          's',
          Array.from({ length: 40 }, (_, index) => user(`${index + 1}`)),
        );
        const seqs = async (range: Parameters<SessionStore['messages']>[1]) =>
          (await messagesOf(store, 's', range)).map(({ seq }) => seq);
        expect(await seqs({ from: 39 })).toEqual([39, 40]);
        expect(await seqs({ to: 2 })).toEqual([1, 2]);
        expect(await seqs({ from: 17, to: 19 })).toEqual([17, 18, 19]);
        expect(await seqs({ last: 3 })).toEqual([38, 39, 40]);
        expect(await seqs({ last: 1000 })).toHaveLength(40);
        expect(await seqs({ last: 0 })).toEqual([]);
        expect(await seqs({ from: 41 })).toEqual([]);
        expect(await seqs({ from: 5, to: 4 })).toEqual([]);
        expect(await seqs({})).toHaveLength(40);
      });

      it('reads a session of many pages completely', async () => {
        await create({ id: 's' });
        for (let batch = 0; batch < 4; batch += 1) {
          await store.append(
            's',
            Array.from({ length: MAX_BATCH }, (_, index) => user(`${batch}/${index}`)),
          );
        }
        const seqs = (await messagesOf(store, 's')).map(({ seq }) => seq);
        expect(seqs).toEqual(Array.from({ length: 4 * MAX_BATCH }, (_, index) => index + 1));
      });
    });

    describe('time', () => {
      it('moves lastActiveAt with each append, and the time of a message stays what the caller said', async () => {
        await create({ id: 's' });
        clock.advance(MINUTE_MS);
        await store.append('s', [{ ...user('old'), at: NOW - DAY_MS }, user('new')]);
        expect(await factsOf('s')).toMatchObject({ startedAt: NOW, lastActiveAt: NOW + MINUTE_MS });
        expect((await messagesOf(store, 's')).map(({ at }) => at)).toEqual([NOW - DAY_MS, NOW + MINUTE_MS]);
      });

      it('never lets time run backwards in a session when the clock does', async () => {
        await create({ id: 's' });
        clock.advance(HOUR_MS);
        await store.append('s', [user('first')]);
        clock.set(NOW - DAY_MS);
        await store.append('s', [user('second')]);
        await store.recordUsage('s', { model: 'm', inputTokens: 1 });
        expect((await factsOf('s')).lastActiveAt).toBe(NOW + HOUR_MS);
        expect(await contents('s')).toEqual(['first', 'second']);
        expect((await store.end('s', 'done')).endedAt).toBe(NOW + HOUR_MS);
        expect((await store.resume('s')).lastActiveAt).toBe(NOW + HOUR_MS);
      });
    });

    describe('ending', () => {
      it('ends a session once and keeps the first reason', async () => {
        await create({ id: 's' });
        clock.advance(HOUR_MS);
        const ended = await store.end('s', 'done');
        expect(ended).toMatchObject({ endedAt: NOW + HOUR_MS, endReason: 'done' });
        clock.advance(HOUR_MS);
        expect(await store.end('s', 'again')).toEqual(ended);
        await reopen();
        expect(await store.get('s')).toEqual(ended);
      });

      it('takes no messages after the end, and takes them again after resume', async () => {
        await create({ id: 's' });
        await store.append('s', [user('a')]);
        await store.end('s', 'done');
        await expect(store.append('s', [user('b')])).rejects.toMatchObject({ code: 'refused' });
        clock.advance(HOUR_MS);
        const resumed = await store.resume('s');
        expect(resumed).toMatchObject({ lastActiveAt: NOW + HOUR_MS });
        expect(resumed).not.toHaveProperty('endedAt');
        expect(resumed).not.toHaveProperty('endReason');
        expect(await store.append('s', [user('b')])).toMatchObject({ firstSeq: 2 });
      });

      it('changes nothing when a session that is open is resumed', async () => {
        const open = await create({ id: 's' });
        clock.advance(HOUR_MS);
        expect(await store.resume('s')).toEqual(open);
      });

      it('refuses a reason that is not a line of text', async () => {
        await create({ id: 's' });
        await expect(store.end('s', '')).rejects.toMatchObject({ code: 'usage' });
        await expect(store.end('s', 'a\nb')).rejects.toMatchObject({ code: 'usage' });
        expect(await factsOf('s')).not.toHaveProperty('endedAt');
      });
    });

    describe('usage', () => {
      it('adds up money exactly, per model and in total', async () => {
        await create({ id: 's' });
        await Promise.all(
          Array.from({ length: 1000 }, (_, index) =>
            store.recordUsage('s', { model: index % 2 === 0 ? 'even' : 'odd', costUsd: 0.1, inputTokens: 3 }),
          ),
        );
        expect((await factsOf('s')).usage).toEqual({ ...NO_USAGE, costUsd: 100, inputTokens: 3000 });
        expect(await store.usageByModel('s')).toEqual([
          { ...NO_USAGE, model: 'even', costUsd: 50, inputTokens: 1500 },
          { ...NO_USAGE, model: 'odd', costUsd: 50, inputTokens: 1500 },
        ]);
      });

      it('keeps a total that is the sum of its models, whatever is reported', async () => {
        const tokens = fc.nat({ max: 1e9 });
        const report = fc.record({
          model: fc.constantFrom('a', 'b', 'c'),
          inputTokens: tokens,
          outputTokens: tokens,
          cacheReadTokens: tokens,
          cacheWriteTokens: tokens,
          reasoningTokens: tokens,
          // Thousandths of a dollar: numbers that floating point cannot add exactly.
          costUsd: tokens.map((value) => (value % 1e6) / 1000),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(report, { maxLength: 20 }), async (reports) => {
            const { id } = await create();
            for (const given of reports) await store.recordUsage(id, given);
            const { usage } = await factsOf(id);
            const millis = reports.reduce((sum, { costUsd }) => sum + Math.round(costUsd * 1000), 0);
            expect(usage.costUsd).toBe(millis / 1000);
            expect(usage.inputTokens).toBe(reports.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
            expect(sumOf(await store.usageByModel(id), 'outputTokens')).toBe(usage.outputTokens);
            expect(sumOf(await store.usageByModel(id), 'reasoningTokens')).toBe(usage.reasoningTokens);
          }),
          { numRuns: 25 },
        );
      });

      it('lists the most expensive model first and survives closing', async () => {
        await create({ id: 's' });
        await store.recordUsage('s', { model: 'cheap', costUsd: 0.01 });
        await store.recordUsage('s', { model: 'dear', costUsd: 2, cacheReadTokens: 5, cacheWriteTokens: 6 });
        await reopen();
        expect(await store.usageByModel('s')).toEqual([
          { ...NO_USAGE, model: 'dear', costUsd: 2, cacheReadTokens: 5, cacheWriteTokens: 6 },
          { ...NO_USAGE, model: 'cheap', costUsd: 0.01 },
        ]);
      });

      it.each([
        ['a negative count', { inputTokens: -1 }],
        ['half a token', { outputTokens: 0.5 }],
        ['not a number', { inputTokens: Number.NaN }],
        ['an endless cost', { costUsd: Number.POSITIVE_INFINITY }],
        ['a negative cost', { costUsd: -0.01 }],
        ['a cost beyond all counting', { costUsd: 1e10 }],
        ['a text', { costUsd: '1' }],
        ['no model', { model: '' }],
      ])('refuses %s and counts nothing of it', async (_what, bad) => {
        await create({ id: 's' });
        const report = { model: 'm', inputTokens: 1, ...bad } as unknown as Parameters<SessionStore['recordUsage']>[1];
        await expect(store.recordUsage('s', report)).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
        expect((await factsOf('s')).usage).toEqual(NO_USAGE);
        expect(await store.usageByModel('s')).toEqual([]);
      });

      it('counts as activity', async () => {
        await create({ id: 's' });
        clock.advance(HOUR_MS);
        await store.recordUsage('s', { model: 'm' });
        expect((await factsOf('s')).lastActiveAt).toBe(NOW + HOUR_MS);
      });

      it('remembers how much the request dumps take', async () => {
        await create({ id: 's' });
        await store.recordDumps('s', { sizeBytes: 1234 });
        await store.recordDumps('s', { sizeBytes: 99 });
        expect((await factsOf('s')).dumpBytes).toBe(99);
      });
    });

    describe('changes', () => {
      it('renames, pins, and changes the model', async () => {
        await create({ id: 's' });
        await store.change('s', { title: 'new', pinned: true, model: 'm2' });
        await reopen();
        expect(await factsOf('s')).toMatchObject({ title: 'new', pinned: true, model: 'm2' });
        expect(await store.change('s', { pinned: false })).toMatchObject({ title: 'new', pinned: false });
      });

      it('keeps tags as a set in order', async () => {
        await create({ id: 's', tags: ['b', 'a'] });
        expect((await store.change('s', { addTags: ['c', 'a'], removeTags: ['b', 'unknown'] })).tags).toEqual([
          'a',
          'c',
        ]);
        expect((await store.change('s', {})).tags).toEqual(['a', 'c']);
      });

      it('is not activity', async () => {
        await create({ id: 's' });
        clock.advance(HOUR_MS);
        expect((await store.change('s', { title: 'new', addTags: ['x'] })).lastActiveAt).toBe(NOW);
      });

      it.each([
        ['title', { title: 'a\nb' }],
        ['tag', { addTags: ['fine', ''] }],
        ['model', { model: 'half \ud800' }],
      ])('changes nothing at all when a %s is refused', async (_what, bad) => {
        const before = await create({ id: 's', title: 'old' });
        await expect(store.change('s', { title: 'new', pinned: true, ...bad })).rejects.toMatchObject({
          name: 'Failure',
          code: 'usage',
        });
        expect(await store.get('s')).toEqual(before);
      });
    });

    describe('lists', () => {
      it('lists the most recently active first', async () => {
        await createAt('a', NOW);
        await createAt('b', NOW + 2);
        await createAt('c', NOW + 1);
        expect(await listed()).toEqual(['b', 'c', 'a']);
        clock.set(NOW + 3);
        await store.append('a', [user('x')]);
        expect(await listed()).toEqual(['a', 'b', 'c']);
        expect(await listed({ sort: 'last', limit: 2 })).toEqual(['a', 'b']);
        expect(await listed({ limit: 0 })).toEqual([]);
      });

      it('sorts by bytes, messages, tokens and cost, largest first', async () => {
        for (const id of ['a', 'b', 'c']) await create({ id });
        await store.append('a', [user('x'.repeat(1000))]);
        await store.append('b', [user('x'), user('y'), user('z')]);
        await store.append('c', [user('x'), user('y')]);
        await store.recordUsage('c', { model: 'm', inputTokens: 10, costUsd: 1 });
        await store.recordUsage('b', { model: 'm', cacheReadTokens: 20, costUsd: 0.5 });
        await store.recordUsage('a', { model: 'm', reasoningTokens: 99 });
        await store.recordDumps('c', { sizeBytes: 1e6 });
        expect(await listed({ sort: 'bytes' })).toEqual(['c', 'a', 'b']);
        expect(await listed({ sort: 'messages' })).toEqual(['b', 'c', 'a']);
        expect(await listed({ sort: 'tokens' })).toEqual(['b', 'c', 'a']);
        expect(await listed({ sort: 'cost' })).toEqual(['c', 'b', 'a']);
      });

      it('includes `since` and leaves out `before`', async () => {
        for (const offset of [0, 1, 2]) await createAt(`${offset}`, NOW + offset);
        expect(await listed({ since: NOW + 1 })).toEqual(['2', '1']);
        expect(await listed({ before: NOW + 1 })).toEqual(['0']);
        expect(await listed({ since: NOW + 1, before: NOW + 2 })).toEqual(['1']);
      });

      it('filters by source, exactly', async () => {
        await create({ id: 'a', source: 'cron' });
        await create({ id: 'b', source: 'cron2' });
        expect(await listed({ source: 'cron' })).toEqual(['a']);
        expect(await listed({ source: 'cro%' })).toEqual([]);
      });

      it('lists as active what a named holder claims, and what was used since, if it is open', async () => {
        await createAt('held', NOW);
        await createAt('quiet', NOW);
        await store.release('quiet');
        await createAt('recent', NOW + HOUR_MS);
        await store.release('recent');
        await createAt('ended', NOW + HOUR_MS);
        await store.end('ended', 'done');
        const holderIds = (await store.holders()).map(({ id }) => id);
        const since = NOW + HOUR_MS;
        expect(new Set(await listed({ active: { holderIds, since } }))).toEqual(new Set(['held', 'recent']));
        expect(await listed({ active: { holderIds: [], since } })).toEqual(['recent']);
        expect(await listed({ active: { holderIds: [], since: since + 1 } })).toEqual([]);
        expect(await listed({ active: { holderIds, since }, source: 'other' })).toEqual([]);
      });

      it('gives every other session once when one is removed while the list is read', async () => {
        for (const id of ['a', 'b', 'c']) await create({ id });
        const seen: string[] = [];
        for await (const { id } of store.list()) {
          seen.push(id);
          if (seen.length === 1) await store.remove(['b']);
        }
        // Rows may be read some way ahead, so the removed one may be there or not.
        expect(seen.filter((id) => id !== 'b')).toEqual(['c', 'a']);
      });

      it('stays correct when sessions are created while it is read', async () => {
        for (const id of ['a', 'b']) await create({ id });
        const seen: string[] = [];
        for await (const { id } of store.list()) {
          seen.push(id);
          await create({ id: `new-${id}` });
        }
        expect(seen).toEqual(['b', 'a']);
      });
    });

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
        await store.append('a', [
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
        const hits = await store.search({ text: 'spline' });
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
        expect(await store.search({ text: 'spline', limit: 2 })).toHaveLength(2);
      });

      it('points to the message when the title matches too', async () => {
        await create({ id: 'a', title: 'spline' });
        await store.append('a', [user('nothing here'), user('a spline at last')]);
        expect(await store.search({ text: 'spline' })).toMatchObject([{ match: 'title', message: { seq: 2 } }]);
      });

      it('finds a new title, and no longer the old one', async () => {
        await create({ id: 'a', title: 'wombat' });
        await store.change('a', { title: 'numbat' });
        expect(await foundIds('wombat')).toEqual([]);
        expect(await foundIds('numbat')).toEqual(['a']);
      });

      it('filters by source', async () => {
        await say('a', 'spline');
        await create({ id: 'b', source: 'cron', title: 'spline' });
        await store.append('b', [user('spline and splines')]);
        expect(await foundIds('spline', 'cron')).toEqual(['b']);
        expect(await foundIds('pline', 'cli')).toEqual(['a']);
      });

      it('marks the words inside the excerpt', async () => {
        await say('a', `${'filler '.repeat(500)}the Needle is ${'filler '.repeat(500)}`);
        const [hit] = await store.search({ text: 'needle' });
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
        const outcome: unknown = await store.search({ text }).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'Failure', code: 'usage' });
        else expect(outcome).toBeInstanceOf(Array);
      });

      it('never fails on any query, and marks stay inside the excerpt', async () => {
        await say('a', 'the quick brown fox: "quoted" (NEAR) 今天磁盘空间 ёлка İstanbul straße');
        await fc.assert(
          fc.asyncProperty(anyQuery(), async (text) => {
            const hits = await store.search({ text }).catch((error: unknown) => {
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
        await store.remove(['a', 'b']);
        for (const text of ['spline', 'plin', '磁', '磁盘']) expect(await foundIds(text), text).toEqual([]);
        expect(await checkProblems(store)).toEqual([]);
      });
    });

    describe('removal', () => {
      it('removes what it knows, says what it does not, and leaves the rest', async () => {
        for (const id of ['a', 'b', 'c']) {
          await create({ id });
          await store.append(id, [user(id)]);
        }
        expect(await store.remove(['a', 'nowhere', 'c', 'a'])).toEqual([
          { id: 'a', status: 'removed' },
          { id: 'nowhere', status: 'not-found' },
          { id: 'c', status: 'removed' },
          { id: 'a', status: 'not-found' },
        ]);
        expect(await listed()).toEqual(['b']);
        expect(await contents('b')).toEqual(['b']);
        await expect(messagesOf(store, 'a')).rejects.toMatchObject({ code: 'not-found' });
      });

      it('takes an id literally: no pattern, no prefix', async () => {
        for (const id of ['a', 'ab', 'a%', '*']) await create({ id });
        await store.remove(['a%', '*']);
        expect(new Set(await listed())).toEqual(new Set(['a', 'ab']));
      });

      it('removes a session of more messages than one transaction takes', async () => {
        await create({ id: 's' });
        const batch = Array.from({ length: MAX_BATCH }, () => user('spline'));
        for (let count = 0; count < 3; count += 1) await store.append('s', batch);
        expect(await store.remove(['s'])).toEqual([{ id: 's', status: 'removed' }]);
        expect(await foundIds('spline')).toEqual([]);
        expect(await checkProblems(store)).toEqual([]);
      });

      it('writes into the ledger what the session was and what it cost', async () => {
        await create({ id: 's', title: 'title', workdir: '/srv' });
        await store.append('s', [
          { role: 'assistant', content: 'x', toolCalls: [{ id: '1', name: 't', arguments: {} }] },
        ]);
        await store.recordUsage('s', { model: 'a', costUsd: 0.1, inputTokens: 5 });
        await store.recordUsage('s', { model: 'b', costUsd: 0.2, reasoningTokens: 7 });
        const usageByModel = await store.usageByModel('s');
        clock.advance(HOUR_MS);
        await store.end('s', 'done');
        clock.advance(HOUR_MS);
        await store.remove(['s']);
        await reopen();
        expect(await collect(store.ledger())).toEqual([
          {
            id: 's',
            source: 'cli',
            title: 'title',
            workdir: '/srv',
            startedAt: NOW,
            lastActiveAt: NOW,
            endedAt: NOW + HOUR_MS,
            endReason: 'done',
            messageCount: 1,
            toolCallCount: 1,
            usageByModel,
            removedAt: NOW + 2 * HOUR_MS,
          },
        ]);
      });

      it('keeps every entry of the ledger, in order, for an id that is used again', async () => {
        for (const title of ['first', 'second']) {
          await create({ id: 's', title });
          await store.remove(['s']);
        }
        expect((await collect(store.ledger())).map(({ title }) => title)).toEqual(['first', 'second']);
      });

      it('starts a session anew under an id that was removed', async () => {
        await create({ id: 's', tags: ['old'] });
        await store.append('s', [user('old')]);
        await store.recordUsage('s', { model: 'm', inputTokens: 1 });
        await store.remove(['s']);
        await create({ id: 's' });
        expect(await factsOf('s')).toMatchObject({ tags: [], messageCount: 0, usage: NO_USAGE });
        expect(await store.usageByModel('s')).toEqual([]);
        expect(await store.append('s', [user('new')])).toMatchObject({ firstSeq: 1 });
        expect(await contents('s')).toEqual(['new']);
      });

      it('stops a reader of a removed session and never shows it the messages of another', async () => {
        await create({ id: 'old' });
        await store.append(
          'old',
          Array.from({ length: MAX_BATCH }, () => user('old')),
        );
        const seen = new Set<unknown>();
        let count = 0;
        for await (const { content } of store.messages('old')) {
          seen.add(content);
          if (++count > 1) continue;
          await store.remove(['old']);
          await create({ id: 'new' });
          await store.append(
            'new',
            Array.from({ length: MAX_BATCH }, () => user('new')),
          );
        }
        expect([...seen]).toEqual(['old']);
      });
    });

    describe('trash', () => {
      const moved: string[] = [];
      let obstacle: string | undefined;
      const files: FileMover = {
        take: ({ id }) => {
          if (obstacle === undefined) moved.push(`take ${id}`);
          return obstacle;
        },
        giveBack: ({ id }) => {
          if (obstacle === undefined) moved.push(`give back ${id}`);
          return obstacle;
        },
        letGo: ({ id }) => void moved.push(`let go ${id}`),
      };
      const options = { files, deadHolders: [] };
      beforeEach(() => {
        moved.splice(0);
        obstacle = undefined;
      });

      const anEnded = async (id: string) => {
        await say(id, `${id} says hello`);
        await store.recordUsage(id, { model: 'm', inputTokens: 3, costUsd: 0.1 });
        await store.end(id, 'done');
        return { number: 1, id, fingerprint: sessionFingerprint(await factsOf(id)) };
      };
      const ledgerIds = async () => (await collect(store.ledger())).map(({ id }) => id);
      const begin = async (run: string, request: { number: number; id: string; fingerprint: string }) => {
        await store.journal.begin({ id: run, request: { kind: 'policy' }, startedAt: NOW, expiresAt: NOW + DAY_MS });
        await store.journal.intend(run, [runItem(request)]);
      };

      it('hides a session from everyone, and shows it again exactly as it was', async () => {
        const request = await anEnded('s');
        const before = [await factsOf('s'), await messagesOf(store, 's'), await store.usageByModel('s')];
        expect(await store.trash.hide('run', [request], options)).toEqual([{ number: 1, status: 'done' }]);
        const other = await openOther();
        expect(await other.get('s')).toBeUndefined();
        expect([await listed(), await foundIds('hello'), await ledgerIds()]).toEqual([[], [], ['s']]);
        await reopen();
        expect(await store.trash.show('run', [request], files)).toEqual([{ number: 1, status: 'done' }]);
        expect([await factsOf('s'), await messagesOf(store, 's'), await store.usageByModel('s')]).toEqual(before);
        expect([await foundIds('hello'), await ledgerIds()]).toEqual([['s'], []]);
        expect(moved).toEqual(['take s', 'give back s']);
      });

      it('does each step once, however often it is asked', async () => {
        const request = await anEnded('s');
        for (let time = 0; time < 2; time += 1)
          expect(await store.trash.hide('run', [request], options)).toEqual([{ number: 1, status: 'done' }]);
        expect(await ledgerIds()).toEqual(['s']);
        for (let time = 0; time < 2; time += 1)
          expect(await store.trash.show('run', [request], files)).toEqual([{ number: 1, status: 'done' }]);
        expect([await listed(), await ledgerIds()]).toEqual([['s'], []]);
      });

      it('skips what changed, what is gone and what is in use, and lets go of its files', async () => {
        const changed = await anEnded('changed');
        await store.change('changed', { addTags: ['keep'] });
        const used = await anEnded('used');
        const other = await openOther();
        await other.resume('used');
        await other.append('used', [user('more')]);
        const now = { ...used, number: 2, fingerprint: sessionFingerprint(await factsOf('used')) };
        const gone = { number: 3, id: 'gone', fingerprint: '' };
        expect(await store.trash.hide('run', [changed, now, gone], options)).toEqual([
          { number: 1, status: 'skipped', detail: 'It has changed since the plan was made.' },
          { number: 2, status: 'skipped', detail: 'A process is using it.' },
          { number: 3, status: 'skipped', detail: 'It is gone already.' },
        ]);
        expect(moved).toEqual(['let go changed', 'let go used', 'let go gone']);
        expect(await ledgerIds()).toEqual([]);
        const deadHolders = (await store.holders()).map(({ id }) => id);
        expect(await store.trash.hide('run', [now], { files, deadHolders })).toEqual([{ number: 2, status: 'done' }]);
      });

      it('keeps a session whose files cannot be moved', async () => {
        const request = await anEnded('s');
        obstacle = 'The file system refused it.';
        const skipped = [{ number: 1, status: 'skipped', detail: obstacle }];
        expect(await store.trash.hide('run', [request], options)).toEqual(skipped);
        expect([await listed(), await ledgerIds()]).toEqual([['s'], []]);
        obstacle = undefined;
        await store.trash.hide('run', [request], options);
        obstacle = 'The file system refused it.';
        expect(await store.trash.show('run', [request], files)).toEqual(skipped);
        expect([await listed(), await ledgerIds()]).toEqual([[], ['s']]);
      });

      it('never shows a session over another that has its id by now, nor one that is purged', async () => {
        const request = await anEnded('s');
        await store.trash.hide('run', [request], options);
        await say('s', 'another');
        expect(await store.trash.show('run', [request], files)).toMatchObject([{ status: 'skipped' }]);
        await store.trash.drop('run', [request]);
        expect(await contents('s')).toEqual(['another']);
        await store.remove(['s']);
        expect(await store.trash.show('run', [request], files)).toMatchObject([{ status: 'skipped' }]);
        expect(moved).toEqual(['take s']);
        expect(await checkProblems(store)).toEqual([]);
      });

      it('takes files from a session and gives them back, and touches what was begun since in neither', async () => {
        const request = await anEnded('s');
        await store.recordDumps('s', { sizeBytes: 70 });
        const taken = { ...request, fingerprint: sessionFingerprint(await factsOf('s')) };
        const before = await factsOf('s');
        await begin('run', taken);
        const take = () => store.trash.takeFiles('run', taken, { ...options, part: 'dumps' });
        expect([await take(), await take()]).toMatchObject([{ status: 'done' }, { status: 'done' }]);
        expect(await factsOf('s')).toEqual({ ...before, dumpBytes: 0 });
        expect(await store.trash.returnFiles('run', taken, files)).toMatchObject({ status: 'done' });
        expect(await factsOf('s')).toEqual(before);
        await store.recordDumps('s', { sizeBytes: 5 });
        expect(await store.trash.returnFiles('run', taken, files)).toMatchObject({ status: 'done' });
        expect(await factsOf('s')).toEqual({ ...before, dumpBytes: 5 });
      });
    });

    describe('journal', () => {
      const run = { id: 'run', request: { kind: 'policy' }, startedAt: NOW, expiresAt: NOW + DAY_MS } as const;

      it('keeps runs, newest first, and their items by number and state', async () => {
        await store.journal.begin(run);
        await store.journal.begin({ ...run, id: 'later', startedAt: NOW + 1, request: { kind: 'delete', ids: ['a'] } });
        const items = Array.from({ length: 1100 }, (_, index) => runItem({ number: index + 1, id: `s${index}` }));
        await store.journal.intend('run', items);
        await store.journal.mark('run', [
          { number: 1, state: 'trashed' },
          { number: 1100, state: 'skipped', detail: 'It has changed.' },
        ]);
        await reopen();
        expect((await collect(store.journal.runs())).map(({ id }) => id)).toEqual(['later', 'run']);
        expect(await store.journal.run('later')).toMatchObject({ request: { kind: 'delete', ids: ['a'] } });
        expect(await store.journal.run('nowhere')).toBeUndefined();
        const numbers = (await collect(store.journal.items('run'))).map(({ number }) => number);
        expect(numbers).toEqual(items.map(({ number }) => number));
        expect(await collect(store.journal.items('run', ['skipped', 'trashed']))).toEqual([
          { ...items[0], state: 'trashed' },
          { ...items[1099], state: 'skipped', detail: 'It has changed.' },
        ]);
        expect(await store.journal.totals('run')).toEqual({
          intended: { items: 1098, sizeBytes: 10_980 },
          trashed: { items: 1, sizeBytes: 10 },
          skipped: { items: 1, sizeBytes: 10 },
        });
        expect(await store.journal.totals('later')).toEqual({});
      });

      it('names the runs that were cut short, and those with an item whose step was', async () => {
        await store.journal.begin(run);
        expect(await store.journal.unfinished()).toEqual(['run']);
        await store.journal.intend('run', [runItem({ number: 1, id: 's' })]);
        await store.journal.finish('run', NOW + 5);
        expect(await store.journal.run('run')).toEqual({ ...run, finishedAt: NOW + 5 });
        for (const state of ['intended', 'undoing', 'purging'] as const) {
          await store.journal.mark('run', [{ number: 1, state }]);
          expect(await store.journal.unfinished(), state).toEqual(['run']);
        }
        for (const state of ['trashed', 'skipped', 'restored', 'purged'] as const) {
          await store.journal.mark('run', [{ number: 1, state }]);
          expect(await store.journal.unfinished(), state).toEqual([]);
        }
      });

      it('refuses the same run or item twice', async () => {
        await store.journal.begin(run);
        await expect(store.journal.begin(run)).rejects.toMatchObject({ name: 'Failure' });
        await store.journal.intend('run', [runItem({ number: 1, id: 's' })]);
        await expect(store.journal.intend('run', [runItem({ number: 1, id: 't' })])).rejects.toMatchObject({
          name: 'Failure',
        });
      });
    });

    describe('leases', () => {
      it('names this process as the holder of what it creates', async () => {
        await create({ id: 'a' });
        expect(await store.holders()).toMatchObject([
          { process: { pid: process.pid }, heartbeatAt: NOW, sessionIds: ['a'] },
        ]);
      });

      it('claims nothing by reading', async () => {
        await create({ id: 'a' });
        const other = await openOther();
        await other.get('a');
        await messagesOf(other, 'a');
        await other.search({ text: 'anything' });
        expect(await store.holders()).toHaveLength(1);
      });

      it('claims a session with the first append, beside other holders', async () => {
        await create({ id: 'a' });
        const other = await openOther();
        await other.append('a', [user('x')]);
        const holders = await store.holders();
        expect(holders.map(({ sessionIds }) => sessionIds)).toEqual([['a'], ['a']]);
        expect(new Set(holders.map(({ id }) => id)).size).toBe(2);
      });

      it('gives a claim up by ending and by release, and takes it again with the next append', async () => {
        for (const id of ['a', 'b', 'c']) await create({ id });
        await store.end('a', 'done');
        await store.release('b');
        await store.release('b');
        expect(await held()).toEqual(['c']);
        await store.append('b', [user('x')]);
        await store.resume('a');
        await store.append('a', [user('x')]);
        expect(await held()).toEqual(['a', 'b', 'c']);
      });

      it('gives up only its own claim', async () => {
        await create({ id: 'a' });
        const other = await openOther();
        await other.append('a', [user('x')]);
        await other.release('a');
        expect(await held()).toEqual(['a']);
      });

      it('gives everything up when it is closed', async () => {
        await create({ id: 'a' });
        const other = await openOther();
        await other.append('a', [user('x')]);
        await other.create({ id: 'b', source: 'cli' });
        others.splice(0);
        await other[Symbol.asyncDispose]();
        expect(await held()).toEqual(['a']);
        expect(await store.holders()).toHaveLength(1);
      });

      it('claims a session that is created after another was removed', async () => {
        await create({ id: 'a' });
        await store.remove(['a']);
        expect(await held()).toEqual([]);
        await create({ id: 'b' });
        expect(await held()).toEqual(['b']);
        await store.remove(['b']);
        await create({ id: 'b' });
        expect(await held()).toEqual(['b']);
      });

      it('claims by appending what another process created after removing', async () => {
        await create({ id: 'a' });
        const other = await openOther();
        await other.remove(['a']);
        await other.create({ id: 'b', source: 'cli' });
        await store.append('b', [user('x')]);
        expect(await held()).toEqual(['b', 'b']);
      });
    });

    describe('meta', () => {
      it('keeps values by key', async () => {
        expect(await store.getMeta('key')).toBeUndefined();
        await store.setMeta('key', 'one');
        await store.setMeta('key', 'two');
        await store.setMeta('', '');
        await reopen();
        expect(await store.getMeta('key')).toBe('two');
        expect(await store.getMeta('')).toBe('');
      });
    });

    describe('imports', () => {
      it('shows nothing until it is finished, then everything', async () => {
        const usage: ModelUsage = { ...NO_USAGE, model: 'm', costUsd: 0.3, inputTokens: 7 };
        const session = imported({
          title: 'spline',
          tags: ['x'],
          pinned: true,
          endedAt: NOW - HOUR_MS,
          endReason: 'done',
          parentId: 'not-imported',
          childKind: 'branch',
          usageByModel: [usage],
        });
        await store.imports.begin(session);
        await store.imports.append('i', [importedMessage(1), importedMessage(2, 'spline')]);
        expect(await store.get('i')).toBeUndefined();
        expect(await listed()).toEqual([]);
        expect(await store.idsStartingWith('i', 5)).toEqual([]);
        expect(await foundIds('spline')).toEqual([]);
        await expect(store.append('i', [user('x')])).rejects.toMatchObject({ code: 'not-found' });
        await store.imports.finish(session);
        const { usageByModel, ...facts } = session;
        expect(await store.get('i')).toMatchObject({
          ...facts,
          messageCount: 2,
          usage: { inputTokens: 7, costUsd: 0.3 },
        });
        expect(await store.usageByModel('i')).toEqual(usageByModel);
        expect(await messagesOf(store, 'i')).toEqual([importedMessage(1), importedMessage(2, 'spline')]);
        expect(await foundIds('spline')).toEqual(['i']);
        expect(await held()).toEqual([]);
        expect(await checkProblems(store)).toEqual([]);
      });

      it('leaves nothing of an import that is abandoned', async () => {
        await store.imports.begin(imported());
        await store.imports.append('i', [importedMessage(1)]);
        await store.imports.abandon('i');
        await store.imports.abandon('i');
        await expect(store.imports.append('i', [importedMessage(2)])).rejects.toMatchObject({ code: 'refused' });
        await expect(store.imports.finish(imported())).rejects.toMatchObject({ code: 'refused' });
        expect(await store.get('i')).toBeUndefined();
        await create({ id: 'i' });
        expect(await contents('i')).toEqual([]);
        expect(await collect(store.ledger())).toEqual([]);
      });

      it('begins anew after an import that was cut short', async () => {
        await store.imports.begin(imported());
        await store.imports.append('i', [importedMessage(1, 'old'), importedMessage(2, 'old')]);
        await reopen();
        await store.imports.begin(imported());
        await store.imports.append('i', [importedMessage(1, 'new')]);
        await store.imports.finish(imported());
        expect(await contents('i')).toEqual(['new']);
      });

      it('refuses an id that is there, and does not touch it', async () => {
        await create({ id: 'i' });
        await store.append('i', [user('mine')]);
        await expect(store.imports.begin(imported())).rejects.toMatchObject({ code: 'refused' });
        await store.imports.abandon('i');
        expect(await contents('i')).toEqual(['mine']);
      });

      it('keeps gaps between numbers, reads the newest across them and counts on from the last', async () => {
        await store.imports.begin(imported());
        await store.imports.append('i', [importedMessage(1), importedMessage(5), importedMessage(9)]);
        await store.imports.finish(imported());
        expect((await messagesOf(store, 'i', { last: 2 })).map(({ seq }) => seq)).toEqual([5, 9]);
        expect(await store.append('i', [user('next')])).toMatchObject({ firstSeq: 10, lastSeq: 10 });
        expect(await factsOf('i')).toMatchObject({ messageCount: 4 });
        expect(await checkProblems(store)).toEqual([]);
      });

      it('keeps any message exactly', async () => {
        await store.imports.begin(imported());
        const given: Message = {
          ...importedMessage(1, 'half \ud83d and \0'),
          toolCalls: [{ id: '1', name: 't', arguments: '\ud83d' }],
        };
        await store.imports.append('i', [given]);
        await store.imports.finish(imported());
        expect(await messagesOf(store, 'i')).toEqual([given]);
      });
    });

    describe('many at once', () => {
      it('keeps every message of concurrent appends, in order for each session', async () => {
        for (const id of ['a', 'b']) await create({ id });
        const appends = Array.from({ length: 400 }, (_, index) =>
          store.append(index % 3 === 0 ? 'a' : 'b', [user(`${index}`), user(`${index}+`)]),
        );
        const receipts = await Promise.all(appends);
        for (const [index, { firstSeq, lastSeq }] of receipts.entries()) {
          const id = index % 3 === 0 ? 'a' : 'b';
          const stored = await messagesOf(store, id, { from: firstSeq, to: lastSeq });
          expect(stored.map(({ content }) => content)).toEqual([`${index}`, `${index}+`]);
        }
        const numbers = (await contents('b')).map((content) =>
          typeof content === 'string' ? Number.parseInt(content, 10) : 0,
        );
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect((await factsOf('a')).messageCount + (await factsOf('b')).messageCount).toBe(800);
      });

      it('lets the failure of one write touch no other', async () => {
        for (const id of ['a', 'ended']) await create({ id });
        await store.end('ended', 'done');
        const bad = { role: 'robot', content: '' } as unknown as NewMessage;
        const results = await Promise.allSettled([
          store.append('a', [user('1')]),
          store.append('ended', [user('x')]),
          store.append('a', [user('lost'), bad]),
          store.append('nowhere', [user('x')]),
          store.create({ id: 'a', source: 'cli' }),
          store.append('a', [user('2')]),
          store.recordUsage('a', { model: 'm', inputTokens: -1 }),
          store.create({ id: 'b', source: 'cli' }),
        ]);
        const outcomes = results.map((result) =>
          result.status === 'fulfilled' ? 'ok' : (result.reason as Failure).code,
        );
        expect(outcomes).toEqual(['ok', 'refused', 'usage', 'not-found', 'refused', 'ok', 'usage', 'ok']);
        expect(await contents('a')).toEqual(['1', '2']);
        expect(await factsOf('a')).toMatchObject({ messageCount: 2, usage: NO_USAGE });
        expect(await held()).toEqual(['a', 'b']);
      });

      it('carries out writes in the order they were asked for', async () => {
        const results = await Promise.allSettled([
          create({ id: 'a' }),
          store.append('a', [user('before')]),
          store.end('a', 'done'),
          store.append('a', [user('refused')]),
          store.resume('a'),
          store.append('a', [user('after')]),
        ]);
        expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true]);
        expect(await contents('a')).toEqual(['before', 'after']);
      });

      it('sees what another process wrote', async () => {
        const other = await openOther();
        await create({ id: 'a' });
        await other.append('a', [user('theirs')]);
        await store.append('a', [user('ours')]);
        expect(await contents('a')).toEqual(['theirs', 'ours']);
        expect((await messagesOf(other, 'a')).map(({ seq }) => seq)).toEqual([1, 2]);
      });
    });

    it('finds nothing wrong with itself, empty or used', async () => {
      const empty = await collect(store.check());
      expect(empty.length).toBeGreaterThan(0);
      expect(empty.flatMap(({ problems }) => problems)).toEqual([]);
      await create({ id: 'a', title: 'first' });
      await store.append('a', [user('hello \0 \ud800 日本'), user('x'.repeat(200_000))]);
      await store.change('a', { title: 'second' });
      await create({ id: 'b' });
      await store.append('b', [user('gone')]);
      await store.remove(['b']);
      expect(await checkProblems(store)).toEqual([]);
    });
  });
}

function sumOf(usage: readonly ModelUsage[], field: 'outputTokens' | 'reasoningTokens'): number {
  return usage.reduce((sum, entry) => sum + entry[field], 0);
}

/** What JSON makes of a value: fields that are undefined go. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Any sequence of UTF-16 units, halves of pairs and NULs included, mixed with text of many scripts. */
function anyText(): fc.Arbitrary<string> {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 });
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    units.map((codes) => String.fromCharCode(...codes)),
  );
}

function anyMessage(): fc.Arbitrary<NewMessage> {
  const json = fc.jsonValue() as fc.Arbitrary<JsonObject[string] & string>;
  const object = fc.dictionary(anyText(), json) as fc.Arbitrary<JsonObject>;
  const call = fc.record({ id: anyText(), name: anyText(), arguments: fc.oneof(json, anyText()) });
  return fc.record(
    {
      role: fc.constantFrom(...ROLES),
      content: fc.oneof(anyText(), fc.array(object, { maxLength: 4 })),
      at: fc.integer({ min: 0, max: 8.64e15 }),
      toolCalls: fc.array(call, { maxLength: 3 }),
      toolCallId: anyText(),
      name: anyText(),
      failed: fc.boolean(),
      model: anyText(),
      metadata: object,
    },
    { requiredKeys: ['role', 'content'] },
  );
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

/** A session as an import describes it. */
function imported(session: Partial<ImportedSession> = {}): ImportedSession {
  return {
    id: 'i',
    source: 'cli',
    startedAt: NOW - DAY_MS,
    lastActiveAt: NOW - HOUR_MS,
    pinned: false,
    usageByModel: [],
    ...session,
  };
}

function runItem(given: { number: number; id: string; fingerprint?: string }): RunItem {
  const { number, id, fingerprint = '' } = given;
  const fixed = { action: 'remove', reason: 'named', sizeBytes: 10, skipsTrash: false, state: 'intended' } as const;
  return { number, item: { kind: 'session', id }, fingerprint, ...fixed };
}

function importedMessage(seq: number, content = `message ${seq}`): Message {
  return {
    seq,
    at: NOW - DAY_MS + seq,
    role: 'user',
    content,
  };
}
