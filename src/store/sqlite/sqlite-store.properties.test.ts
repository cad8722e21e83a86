import fc from 'fast-check';
import { expect } from 'vitest';
import { anyMessage } from '../../../test/support/any-message.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { checkProblems, collect, messagesOf } from '../../../test/support/collect.ts';
import { nativeStorePlace } from '../../../test/support/native-store.ts';
import { NO_FILES, trashRequest } from '../../../test/support/remove-sessions.ts';
import { runKit } from '../../../test/support/run-kit.ts';
import { Failure } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { type NewMessage, ROLES } from '../../core/sessions/message.ts';
import type { ModelUsage } from '../../core/sessions/session.ts';
import type { ArchiveDocument, ArchiveMember } from '../../core/stores/session-archive.ts';
import { KIT_NOW } from '../../kit/kit-case.ts';
import { atDesk, type StoreDesk } from '../../kit/store/store-desk.ts';

const PROPERTIES = [
  { name: 'returns exactly what it was given, whatever it is', run: returnsWhatItWasGiven },
  { name: 'never fails on any query, and marks stay inside the excerpt', run: neverFailsOnAQuery },
  { name: 'keeps a total that is the sum of its models, whatever is reported', run: keepsTheSum },
  { name: 'brings archived sessions back with any message as it was, word for word', run: bringsBackWordForWord },
];

runKit('the SQLite store, whatever it is given', atDesk(PROPERTIES), nativeStorePlace);

async function returnsWhatItWasGiven(desk: StoreDesk): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(anyGivenMessage(), { minLength: 1, maxLength: 8 }), async (messages) => {
      const { id } = await desk.create();
      await desk.store.append(id, messages);
      const expected = messages.map((message, index) => ({ at: KIT_NOW, ...asJson(message), seq: index + 1 }));
      expect(await messagesOf(desk.store, id)).toEqual(expected);
    }),
    { numRuns: 150 },
  );
  expect(await checkProblems(desk.store)).toEqual([]);
}

async function neverFailsOnAQuery(desk: StoreDesk): Promise<void> {
  await desk.say('a', 'the quick brown fox: "quoted" (NEAR) 今天磁盘空间 ёлка İstanbul straße');
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
}

async function keepsTheSum(desk: StoreDesk): Promise<void> {
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
      const { id } = await desk.create();
      for (const given of reports) await desk.store.recordUsage(id, given);
      const { usage } = await desk.factsOf(id);
      const millis = reports.reduce((sum, { costUsd }) => sum + Math.round(costUsd * 1000), 0);
      expect(usage.costUsd).toBe(millis / 1000);
      expect(usage.inputTokens).toBe(reports.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
      expect(sumOf(await desk.store.usageByModel(id), 'outputTokens')).toBe(usage.outputTokens);
      expect(sumOf(await desk.store.usageByModel(id), 'reasoningTokens')).toBe(usage.reasoningTokens);
    }),
    { numRuns: 25 },
  );
}

async function bringsBackWordForWord({ store }: StoreDesk): Promise<void> {
  const documentsOf = async (id: string) => (await collect(store.archive.documents(id))).flat();
  await fc.assert(
    fc.asyncProperty(fc.array(anyMessage(), { minLength: 1, maxLength: 6 }), async (given) => {
      const { id } = await store.create({ source: 'cli' });
      await store.append(id, given);
      await store.end(id, 'done');
      const before = (await documentsOf(id)).map((line) => JSON.parse(line) as ArchiveDocument);
      const request = async () => ({ ...(await trashRequest(store, id)), member: MEMBER });
      await store.archive.seal(id, [await request()], { files: NO_FILES, deadHolders: [] });
      const messages = before.flatMap((document) => (document.kind === 'message' ? [document.message] : []));
      await store.archive.put(id, 1, messages);
      await store.archive.unseal(id, await request(), NO_FILES);
      const after = (await documentsOf(id)).map((line) => JSON.parse(line) as ArchiveDocument);
      expect(after.map((each) => JSON.stringify(each))).toEqual(before.map((each) => JSON.stringify(each)));
    }),
    { numRuns: 20 },
  );
  expect(await checkProblems(store)).toEqual([]);
}

const MEMBER: ArchiveMember = {
  bundle: 'one.tar',
  offsetBytes: 512,
  lengthBytes: 100,
  codec: 'brotli',
  sha256: 'aa',
  plainBytes: 1000,
  lineCount: 9,
};

/** What JSON makes of a value: fields that are undefined go. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** With values and times that `anyMessage` does not think of. */
function anyGivenMessage(): fc.Arbitrary<NewMessage> {
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
  const words = ['quick', 'fox', 'İ', 'ß', 'ё', '磁', '磁盘', '空间', 'NEAR', 'AND', '"', '-', '*', '(', ':', ' '];
  const word = fc.constantFrom(...words);
  return fc.oneof(
    anyText(),
    fc.array(fc.oneof(word, anyText()), { maxLength: 8 }).map((parts) => parts.join('')),
  );
}

function sumOf(usage: readonly ModelUsage[], field: 'outputTokens' | 'reasoningTokens'): number {
  return usage.reduce((sum, entry) => sum + entry[field], 0);
}
