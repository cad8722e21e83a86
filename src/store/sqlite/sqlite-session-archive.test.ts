import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nativeStorePlace, openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { sessionArchiveConformance } from '../session-archive.conformance.ts';

sessionArchiveConformance('the SQLite store', nativeStorePlace);

it('writes messages as JSON.stringify would, whatever they hold', async () => {
  await using store = await openNativeStore(tempDir());
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  const texts = [ascii, '', ...fc.sample(fc.string({ unit: 'binary', maxLength: 50 }), { numRuns: 200, seed: 7 })];
  await store.create({ id: 's', source: 'cli' });
  await store.append(
    's',
    texts.map((content) => ({ role: 'user', content, metadata: { deep: [content, null, 0.5] } })),
  );
  const rows = [...store.archive.rows('s')];
  expect(rows.map((row) => JSON.stringify(JSON.parse(row)))).toEqual(rows);
  const messages = rows.slice(1).map((row) => JSON.parse(row) as { row: { seq: number; text: string } });
  expect(messages.map(({ row }) => row.seq)).toEqual(texts.map((_, at) => at + 1));
  // The store itself keeps NUL and lone surrogates in `extra`.
  expect(messages.map(({ row }) => row.text)).toEqual(
    texts.map((text) => text.toWellFormed().replaceAll('\0', '\uFFFD')),
  );
});
