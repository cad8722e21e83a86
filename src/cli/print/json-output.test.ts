import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { captureIo } from '../../../test/capture-io.ts';
import { writeJson, writeJsonList } from './json-output.ts';

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

it('puts the schema version first and indents by two', () => {
  const { io, out } = captureIo();
  writeJson(io.out, { id: 'a', tags: [] });
  expect(out()).toBe('{\n  "schemaVersion": 1,\n  "id": "a",\n  "tags": []\n}\n');
});

it('streams the same document that would be printed whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 5 }), async (items) => {
      const [streamed, whole] = [captureIo(), captureIo()];
      const count = await writeJsonList(streamed.io.out, { name: 'items', items: each(items), fields: { total: 3 } });
      writeJson(whole.io.out, { total: 3, items });
      expect(count).toBe(items.length);
      expect(streamed.out()).toBe(whole.out());
    }),
  );
});

it('prints nothing when the list fails before its first item', async () => {
  const { io, out } = captureIo();
  const broken: AsyncIterable<never> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no such home')) }),
  };
  await expect(writeJsonList(io.out, { name: 'sessions', items: broken })).rejects.toThrow('no such home');
  expect(out()).toBe('');
});

it('stops reading the list when the output is interrupted', async () => {
  const stop = new AbortController();
  const { io } = captureIo({ signal: stop.signal });
  let given = 0;
  let closed = false;
  const endless = (async function* () {
    try {
      for (;;) {
        given += 1;
        if (given === 100) stop.abort();
        yield 'x'.repeat(10_000);
      }
    } finally {
      closed = true;
    }
  })();
  await expect(writeJsonList(io.out, { name: 'items', items: endless })).rejects.toThrow();
  expect(closed).toBe(true);
});

it('escapes what a terminal would obey, and still says the same', () => {
  const { io, out } = captureIo();
  const title = '\x1b[2J\u009b2J\u202e\x7f';
  writeJson(io.out, { title });
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  expect(out()).not.toMatch(/[\u001b\u007f-\u009f\u202a-\u202e]/);
  expect(JSON.parse(out())).toEqual({ schemaVersion: 1, title });
});
