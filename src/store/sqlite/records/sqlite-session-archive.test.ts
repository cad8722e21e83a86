import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collect } from '../../../../test/support/collect.ts';
import { nativeStorePlace, openNativeStore } from '../../../../test/support/native-store.ts';
import { runKit } from '../../../../test/support/run-kit.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { sessionRecordCases } from '../../../kit/store/session-store-cases.ts';

runKit('the records in SQLite', sessionRecordCases, nativeStorePlace);

it('writes messages as JSON.stringify would, whatever they hold', async () => {
  await using store = await openNativeStore(tempDir());
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  const texts = [ascii, '', ...fc.sample(fc.string({ unit: 'binary', maxLength: 50 }), { numRuns: 200, seed: 7 })];
  await store.create({ id: 's', source: 'cli' });
  await store.append(
    's',
    // Every second one is only text, which SQLite itself writes.
    texts.map((content, at) => ({
      role: 'user',
      content,
      ...(at % 2 === 0 && { metadata: { deep: [content, null, 0.5] } }),
    })),
  );
  const lines = (await collect(store.archive.documents('s'))).flat();
  expect(lines.map((line) => JSON.stringify(JSON.parse(line)))).toEqual(lines);
  const messages = lines.slice(1).map((line) => JSON.parse(line) as { message: { seq: number; content: string } });
  expect(messages.map(({ message }) => message.seq)).toEqual(texts.map((_, at) => at + 1));
  expect(messages.map(({ message }) => message.content)).toEqual(texts);
});
