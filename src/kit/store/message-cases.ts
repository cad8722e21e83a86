import assert from 'node:assert/strict';
import { checkProblems, messagesOf, user } from './asking.ts';
import { sessionSize } from './asking.ts';
import { type NewMessage, outputMessage } from '../../core/sessions/message.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { MAX_BATCH } from '../../core/stores/session-writer.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** What is said: kept in order, exactly as it was given. */
export const messageCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'messages: numbers messages from 1 and returns them in the order they came',
    async run(desk) {
      await desk.create({ id: 's' });
      has(await desk.store.append('s', [user('a')]), { firstSeq: 1, lastSeq: 1 });
      has(await desk.store.append('s', [user('b'), user('c')]), { firstSeq: 2, lastSeq: 3 });
      assert.deepEqual(await messagesOf(desk.store, 's'), [
        { ...user('a'), seq: 1, at: KIT_NOW },
        { ...user('b'), seq: 2, at: KIT_NOW },
        { ...user('c'), seq: 3, at: KIT_NOW },
      ]);
    },
  },
  {
    name: 'messages: numbers the messages of each session on their own',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.create({ id: 't' });
      await desk.store.append('s', [user('a'), user('b')]);
      has(await desk.store.append('t', [user('c')]), { firstSeq: 1, lastSeq: 1 });
    },
  },
  ...Object.entries({
    nothing: '',
    'a NUL': 'before\0after',
    'half of a pair at the end': 'half \ud83d',
    'half of a pair at the start': '\udc00 half',
    'halves in the wrong order': '\udc00\ud83d',
    'a byte order mark': '\ufefftext',
    'line separators': 'a\u2028b\u2029c\r\n\u0085',
    'not normalised text': 'e\u0301 \u1112\u1161\u11ab',
    'something like JSON': '{"content":"x"}',
    'something like SQL': "'); DELETE FROM messages; --",
    'non-characters': '\uffff\ufffe\ufffd',
  }).map(
    ([what, content]): KitCase<StoreDesk> => ({
      name: `messages: returns ${what} exactly, with and without tool calls`,
      async run(desk) {
        await desk.create({ id: 's' });
        const calls = [{ id: 'call', name: 'tool', arguments: { text: content } }];
        await desk.store.append('s', [
          { role: 'user', content },
          { role: 'assistant', content, toolCalls: calls },
          { role: 'assistant', content: [{ type: 'text', text: content }], metadata: { note: content } },
        ]);
        await desk.reopen();
        assert.deepEqual(await messagesOf(desk.store, 's'), [
          { seq: 1, at: KIT_NOW, role: 'user', content },
          { seq: 2, at: KIT_NOW, role: 'assistant', content, toolCalls: calls },
          {
            seq: 3,
            at: KIT_NOW,
            role: 'assistant',
            content: [{ type: 'text', text: content }],
            metadata: { note: content },
          },
        ]);
      },
    }),
  ),
  {
    name: 'messages: leaves out fields that are undefined and keeps those that are false, empty or null',
    async run(desk) {
      await desk.create({ id: 's' });
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
      assert.deepEqual(stored, {
        seq: 1,
        role: 'tool',
        at: KIT_NOW,
        content: [],
        toolCalls: [],
        toolCallId: '',
        failed: false,
        metadata: { kept: null, empty: {} },
      });
    },
  },
  {
    name: 'messages: keeps a message of 10 MB',
    async run(desk) {
      await desk.create({ id: 's' });
      const content = 'a long line of words and 長い行 '.repeat(330_000);
      assert.ok(content.length > 8_000_000);
      await desk.store.append('s', [user(content)]);
      const [message] = await messagesOf(desk.store, 's');
      assert.equal(message?.content === content, true);
      assert.ok((await desk.factsOf('s')).contentBytes >= Buffer.byteLength(content));
    },
  },
  {
    name: 'messages: counts messages, tool calls and bytes',
    async run(desk) {
      await desk.create({ id: 's' });
      const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'tool', arguments: {} }));
      await desk.store.append('s', [user('hello'), { role: 'assistant', content: '', toolCalls: calls }]);
      has(await desk.factsOf('s'), { messageCount: 2, toolCallCount: 3 });
      assert.ok((await desk.factsOf('s')).contentBytes >= 'hello'.length);
    },
  },
  {
    name: 'messages: counts recorded output apart from messages, and answers of a tool with such a name as messages',
    async run(desk) {
      await desk.create({ id: 's' });
      const answer = { role: 'tool', name: 'stdout', content: 'a file', toolCallId: 'a' } as const;
      await desk.store.append('s', [user('hello'), outputMessage('stdout', 'one\n'), answer]);
      await desk.store.append('s', [outputMessage('stderr', 'two\0\n')]);
      has(await desk.factsOf('s'), { messageCount: 2, outputCount: 2 });
      assert.equal((await messagesOf(desk.store, 's')).length, 4);
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
  {
    name: 'messages: tells with each append how large the session is now, as its facts do',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.recordDumps('s', { sizeBytes: 1000 });
      const [alone, ...together] = await Promise.all([
        desk.store.append('s', [user('one')]),
        desk.store.append('s', [outputMessage('stdout', 'two\n')]),
        desk.store.append('s', [user('three'), user('four')]),
      ]);
      const last = together.at(-1) ?? alone;
      assert.deepEqual(last.size, sessionSize(await desk.factsOf('s')));
      has(last.size, { messages: 3 });
      assert.deepEqual((await desk.store.append('s', [user('five')])).size, sessionSize(await desk.factsOf('s')));
      assert.deepEqual(await desk.store.sizeOf('s'), sessionSize(await desk.factsOf('s')));
      assert.equal(await desk.store.sizeOf('other'), undefined);
    },
  },
  {
    name: 'messages: takes no more than the append that fills a session, however many come at once',
    async run(desk) {
      await desk.create({ id: 's' });
      const within = { messages: 5, bytes: Infinity };
      const appends = Array.from({ length: 4 }, () => desk.store.append('s', [user('a'), user('b')], { within }));
      const statuses = (await Promise.allSettled(appends)).map(({ status }) => status);
      assert.deepEqual(statuses, ['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
      // What an agent printed is no message, and takes room all the same.
      await desk.create({ id: 't' });
      await desk.store.append(
        't',
        Array.from({ length: 6 }, () => outputMessage('stdout', 'x'.repeat(100))),
      );
      await desk.store.append('t', [user('a')], { within });
      const full = desk.store.append('t', [user('b')], { within: { messages: 5, bytes: 600 } });
      await assert.rejects(full, { code: 'refused' });
      has(await desk.factsOf('t'), { messageCount: 1 });
      await desk.store.append('s', [user('a record is as long as you like')]);
    },
  },
  {
    name: 'messages: takes as many messages at once as it says and refuses more, or none',
    async run(desk) {
      await desk.create({ id: 's' });
      const batch = Array.from({ length: MAX_BATCH }, (_, index) => user(`message ${index}`));
      has(await desk.store.append('s', batch), { firstSeq: 1, lastSeq: MAX_BATCH });
      await assert.rejects(desk.store.append('s', [...batch, user('one more')]), { code: 'usage' });
      await assert.rejects(desk.store.append('s', []), { code: 'usage' });
      has(await desk.factsOf('s'), { messageCount: MAX_BATCH });
    },
  },
  ...Object.entries({
    'an unknown role': { role: 'robot', content: 'x' },
    'content that is a number': { role: 'user', content: 7 },
    'no content': { role: 'user' },
    'a time that is not a number': { role: 'user', content: 'x', at: Number.NaN },
    'a time between milliseconds': { role: 'user', content: 'x', at: 0.5 },
    'a time before 1970': { role: 'user', content: 'x', at: -1 },
  }).map(
    ([what, bad]): KitCase<StoreDesk> => ({
      name: `messages: refuses ${what}, and with it the whole batch`,
      async run(desk) {
        await desk.create({ id: 's' });
        await assert.rejects(desk.store.append('s', [user('good'), bad as unknown as NewMessage]), {
          name: 'Failure',
          code: 'usage',
        });
        assert.deepEqual(await messagesOf(desk.store, 's'), []);
        has(await desk.factsOf('s'), { messageCount: 0, contentBytes: 0 });
      },
    }),
  ),
  {
    name: 'messages: reads ranges by number, both ends included, and the newest',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.append(
        's',
        Array.from({ length: 40 }, (_, index) => user(`${index + 1}`)),
      );
      const seqs = async (range: Parameters<SessionStore['messages']>[1]) =>
        (await messagesOf(desk.store, 's', range)).map(({ seq }) => seq);
      assert.deepEqual(await seqs({ from: 39 }), [39, 40]);
      assert.deepEqual(await seqs({ to: 2 }), [1, 2]);
      assert.deepEqual(await seqs({ from: 17, to: 19 }), [17, 18, 19]);
      assert.deepEqual(await seqs({ last: 3 }), [38, 39, 40]);
      assert.equal((await seqs({ last: 1000 })).length, 40);
      assert.deepEqual(await seqs({ last: 0 }), []);
      assert.deepEqual(await seqs({ from: 41 }), []);
      assert.deepEqual(await seqs({ from: 5, to: 4 }), []);
      assert.equal((await seqs({})).length, 40);
    },
  },
  {
    name: 'messages: reads a session of many pages completely',
    async run(desk) {
      await desk.create({ id: 's' });
      for (let batch = 0; batch < 4; batch += 1) {
        await desk.store.append(
          's',
          Array.from({ length: MAX_BATCH }, (_, index) => user(`${batch}/${index}`)),
        );
      }
      const seqs = (await messagesOf(desk.store, 's')).map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: 4 * MAX_BATCH }, (_, index) => index + 1),
      );
    },
  },
]);
