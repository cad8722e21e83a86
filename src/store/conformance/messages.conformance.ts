import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { NOW } from '../../../test/support/clock.ts';
import { checkProblems, messagesOf, user } from '../../../test/support/collect.ts';
import { sessionSize } from '../../../test/support/session-size.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import type { JsonObject } from '../../core/json.ts';
import { type NewMessage, outputMessage, ROLES } from '../../core/sessions/message.ts';
import type { SessionStore } from '../../core/sessions/session-store.ts';
import { MAX_BATCH } from '../../core/sessions/session-writer.ts';

/** What is said: kept in order, exactly as it was given. */
export function messagesConformance(desk: StoreDesk): void {
  const { create, factsOf, reopen } = desk;

  describe('messages', () => {
    it('numbers messages from 1 and returns them in the order they came', async () => {
      await create({ id: 's' });
      expect(await desk.store.append('s', [user('a')])).toMatchObject({ firstSeq: 1, lastSeq: 1 });
      expect(await desk.store.append('s', [user('b'), user('c')])).toMatchObject({ firstSeq: 2, lastSeq: 3 });
      expect(await messagesOf(desk.store, 's')).toEqual([
        { ...user('a'), seq: 1, at: NOW },
        { ...user('b'), seq: 2, at: NOW },
        { ...user('c'), seq: 3, at: NOW },
      ]);
    });

    it('numbers the messages of each session on their own', async () => {
      await create({ id: 's' });
      await create({ id: 't' });
      await desk.store.append('s', [user('a'), user('b')]);
      expect(await desk.store.append('t', [user('c')])).toMatchObject({ firstSeq: 1, lastSeq: 1 });
    });

    it('returns exactly what it was given, whatever it is', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyMessage(), { minLength: 1, maxLength: 8 }), async (messages) => {
          const { id } = await create();
          await desk.store.append(id, messages);
          const expected = messages.map((message, index) => ({ at: NOW, ...asJson(message), seq: index + 1 }));
          expect(await messagesOf(desk.store, id)).toEqual(expected);
        }),
        { numRuns: 150 },
      );
      expect(await checkProblems(desk.store)).toEqual([]);
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
      await desk.store.append('s', [
        { role: 'user', content },
        { role: 'assistant', content, toolCalls: calls },
        { role: 'assistant', content: [{ type: 'text', text: content }], metadata: { note: content } },
      ]);
      await reopen();
      expect(await messagesOf(desk.store, 's')).toEqual([
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
      await desk.store.append('s', [message]);
      const [stored] = await messagesOf(desk.store, 's');
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
      await desk.store.append('s', [user(content)]);
      const [message] = await messagesOf(desk.store, 's');
      expect(message?.content === content).toBe(true);
      expect((await factsOf('s')).contentBytes).toBeGreaterThanOrEqual(Buffer.byteLength(content));
    });

    it('counts messages, tool calls and bytes', async () => {
      await create({ id: 's' });
      const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'tool', arguments: {} }));
      await desk.store.append('s', [user('hello'), { role: 'assistant', content: '', toolCalls: calls }]);
      expect(await factsOf('s')).toMatchObject({ messageCount: 2, toolCallCount: 3 });
      expect((await factsOf('s')).contentBytes).toBeGreaterThanOrEqual('hello'.length);
    });

    it('counts recorded output apart from messages, and answers of a tool with such a name as messages', async () => {
      await create({ id: 's' });
      const answer = { role: 'tool', name: 'stdout', content: 'a file', toolCallId: 'a' } as const;
      await desk.store.append('s', [user('hello'), outputMessage('stdout', 'one\n'), answer]);
      await desk.store.append('s', [outputMessage('stderr', 'two\0\n')]);
      expect(await factsOf('s')).toMatchObject({ messageCount: 2, outputCount: 2 });
      expect(await messagesOf(desk.store, 's')).toHaveLength(4);
      expect(await checkProblems(desk.store)).toEqual([]);
    });

    it('tells with each append how large the session is now, as its facts do', async () => {
      await create({ id: 's' });
      await desk.store.recordDumps('s', { sizeBytes: 1000 });
      const [alone, ...together] = await Promise.all([
        desk.store.append('s', [user('one')]),
        desk.store.append('s', [outputMessage('stdout', 'two\n')]),
        desk.store.append('s', [user('three'), user('four')]),
      ]);
      const last = together.at(-1) ?? alone;
      expect(last.size).toEqual(sessionSize(await factsOf('s')));
      expect(last.size).toMatchObject({ messages: 3 });
      expect((await desk.store.append('s', [user('five')])).size).toEqual(sessionSize(await factsOf('s')));
      expect(await desk.store.sizeOf('s')).toEqual(sessionSize(await factsOf('s')));
      expect(await desk.store.sizeOf('other')).toBeUndefined();
    });

    it('takes no more than the append that fills a session, however many come at once', async () => {
      await create({ id: 's' });
      const within = { messages: 5, bytes: Infinity };
      const appends = Array.from({ length: 4 }, () => desk.store.append('s', [user('a'), user('b')], { within }));
      const statuses = (await Promise.allSettled(appends)).map(({ status }) => status);
      expect(statuses).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
      // What an agent printed is no message, and takes room all the same.
      await create({ id: 't' });
      await desk.store.append(
        't',
        Array.from({ length: 6 }, () => outputMessage('stdout', 'x'.repeat(100))),
      );
      await desk.store.append('t', [user('a')], { within });
      const full = desk.store.append('t', [user('b')], { within: { messages: 5, bytes: 600 } });
      await expect(full).rejects.toMatchObject({ code: 'refused' });
      expect(await factsOf('t')).toMatchObject({ messageCount: 1 });
      await desk.store.append('s', [user('a record is as long as you like')]);
    });

    it('takes as many messages at once as it says and refuses more, or none', async () => {
      await create({ id: 's' });
      const batch = Array.from({ length: MAX_BATCH }, (_, index) => user(`message ${index}`));
      expect(await desk.store.append('s', batch)).toMatchObject({ firstSeq: 1, lastSeq: MAX_BATCH });
      await expect(desk.store.append('s', [...batch, user('one more')])).rejects.toMatchObject({ code: 'usage' });
      await expect(desk.store.append('s', [])).rejects.toMatchObject({ code: 'usage' });
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
      await expect(desk.store.append('s', [user('good'), bad as unknown as NewMessage])).rejects.toMatchObject({
        name: 'Failure',
        code: 'usage',
      });
      expect(await messagesOf(desk.store, 's')).toEqual([]);
      expect(await factsOf('s')).toMatchObject({ messageCount: 0, contentBytes: 0 });
    });

    it('reads ranges by number, both ends included, and the newest', async () => {
      await create({ id: 's' });
      await desk.store.append(
        's',
        Array.from({ length: 40 }, (_, index) => user(`${index + 1}`)),
      );
      const seqs = async (range: Parameters<SessionStore['messages']>[1]) =>
        (await messagesOf(desk.store, 's', range)).map(({ seq }) => seq);
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
        await desk.store.append(
          's',
          Array.from({ length: MAX_BATCH }, (_, index) => user(`${batch}/${index}`)),
        );
      }
      const seqs = (await messagesOf(desk.store, 's')).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 4 * MAX_BATCH }, (_, index) => index + 1));
    });
  });
}

/** What JSON makes of a value: fields that are undefined go. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
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
