import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { user } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { transcriptDifferences } from '../../../test/support/transcript-differences.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { nativeLayout } from './native-layout.ts';

describe('transcript files that no longer fit their session', () => {
  let store: SessionStore;
  let path: string;

  beforeEach(async () => {
    const layout = nativeLayout(tempDir());
    store = await openNativeStore(layout.root);
    onTestFinished(() => store[Symbol.asyncDispose]());
    await store.create({ id: 's', source: 'cli' });
    path = layout.transcript('s');
  });

  const say = (...texts: string[]) => store.append('s', texts.map(user));
  const differences = () => transcriptDifferences(store, 's', path);
  const asides = () =>
    readdirSync(dirname(path))
      .filter((name) => name !== 'transcript.jsonl')
      .toSorted();

  it('drop a torn line that was never acknowledged, and say so', async () => {
    await say('a');
    appendFileSync(path, '{"seq":2,"at":"2026-01');
    const { problems } = await say('b');
    expect(problems).toMatchObject([{ kind: 'transcript-mended', subject: 's' }]);
    expect(await differences()).toEqual([]);
    expect(asides()).toEqual([]);
    expect(await say('c')).toMatchObject({ problems: [] });
  });

  it('set whole lines aside that were never acknowledged, and never overwrite what was set aside', async () => {
    await say('a');
    const offset = statSync(path).size;
    const tail = '{"seq":2,"content":"last words"}\n{"seq":3';
    appendFileSync(path, tail);
    const { problems } = await say('b');
    expect(problems[0]?.message).toContain(`unacknowledged-${offset}-1.jsonl`);
    expect(readFileSync(join(dirname(path), `unacknowledged-${offset}-1.jsonl`), 'utf8')).toBe(tail);
    expect(statSync(join(dirname(path), `unacknowledged-${offset}-1.jsonl`)).mode & 0o777).toBe(0o600);
    expect(await differences()).toEqual([]);

    rmSync(path);
    writeFileSync(path, '');
    await say('c');
    truncateSync(path, offset);
    await say('d');
    writeFileSync(join(dirname(path), `unacknowledged-${statSync(path).size}-1.jsonl`), 'mine');
    const second = statSync(path).size;
    appendFileSync(path, tail);
    await say('e');
    expect(asides()).toContain(`unacknowledged-${second}-2.jsonl`);
    expect(readFileSync(join(dirname(path), `unacknowledged-${second}-1.jsonl`), 'utf8')).toBe('mine');
    expect(await differences()).toEqual([]);
  });

  it('keep a long tail that was never acknowledged, byte for byte', async () => {
    await say('a');
    const offset = statSync(path).size;
    const tail = `${'x'.repeat(3_000_000)}\n${'y'.repeat(10)}`;
    appendFileSync(path, tail);
    await say('b');
    expect(readFileSync(join(dirname(path), `unacknowledged-${offset}-1.jsonl`), 'utf8') === tail).toBe(true);
    expect(await differences()).toEqual([]);
  });

  it('are written again from the start when they are gone', async () => {
    await say('a', 'b');
    rmSync(dirname(dirname(path)), { recursive: true });
    const { problems } = await say('c');
    expect(problems).toMatchObject([{ kind: 'transcript-mended' }]);
    expect(await differences()).toEqual([]);
  });

  it('get their end back, wherever it was cut off', async () => {
    await say('a', 'bb', '日本語 🌲');
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (number) => {
        const { size } = statSync(path);
        truncateSync(path, number % size);
        expect(await say('more')).toMatchObject({ problems: [{ kind: 'transcript-mended' }] });
        expect(await differences()).toEqual([]);
      }),
      { numRuns: 60 },
    );
    expect(asides()).toEqual([]);
  });

  it('are mended whatever a crash or a person left at their end', async () => {
    await say('a', 'b');
    const junk = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n', '\n\n', '{}\n', 'null\n', '{"seq":99}\n', '[\n'),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 200 }), junk, async (cut, text) => {
        const { size } = statSync(path);
        // An edit that leaves the file as long as it should be, or longer, is for `coppice doctor` to find.
        fc.pre(cut === 0 ? text !== '' : Math.max(0, size - cut) + Buffer.byteLength(text) < size);
        truncateSync(path, Math.max(0, size - cut));
        appendFileSync(path, text);
        expect(await say('more')).toMatchObject({ problems: [{ kind: 'transcript-mended' }] });
        expect(await differences()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('are written anew when the last line is too long to look at', async () => {
    await say('a', 'b', 'x'.repeat(3_000_000));
    truncateSync(path, statSync(path).size - 10);
    expect(await say('c')).toMatchObject({ problems: [{ kind: 'transcript-mended' }] });
    expect(await differences()).toEqual([]);
  });
});
