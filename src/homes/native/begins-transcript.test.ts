import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { user } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { beginsTranscript } from './begins-transcript.ts';
import { nativeLayout } from './native-layout.ts';

/** A session with a transcript, and what the file is judged to be after each change. */
async function judgeAfter(
  changes: (file: { path: string; text: Buffer }) => Iterable<string>,
): Promise<[string, boolean][]> {
  const layout = nativeLayout(tempDir());
  await using store = await openNativeStore(layout.root);
  const session = await store.create({ id: 's', source: 'cli', workdir: '/repo' });
  await store.append('s', ['one', 'zwei, drei', '四五 🦊'].map(user));
  await store.append('s', [{ metadata: { b: 1 }, name: 'bash', content: 'x', toolCallId: 'c', role: 'tool' }]);
  const path = layout.transcript('s');
  const text = readFileSync(path);
  const verdicts: [string, boolean][] = [];
  for (const what of changes({ path, text })) {
    const found = await beginsTranscript(path, { session, messages: (from) => store.messages('s', { from }) });
    verdicts.push([what, found]);
    writeFileSync(path, text);
  }
  return verdicts;
}

describe('the beginning of a transcript', () => {
  it('is every cut of it, also within a character, and the whole of it', async () => {
    const verdicts = await judgeAfter(function* ({ path, text }) {
      for (let size = 0; size <= text.length; size += 1) {
        truncateSync(path, size);
        yield `cut at ${size}`;
      }
    });
    expect(verdicts.filter(([, found]) => !found)).toEqual([]);
  });

  it('is nothing in which a single byte is different', async () => {
    const verdicts = await judgeAfter(function* ({ path, text }) {
      for (let at = 0; at < text.length - 1; at += 1) {
        const changed = Buffer.from(text);
        changed[at] = (changed[at] ?? 0) ^ 1;
        writeFileSync(path, changed);
        yield `changed at ${at}`;
      }
    });
    expect(verdicts.filter(([, found]) => found)).toEqual([]);
  });

  it('is one from which the first messages were removed', async () => {
    const [without] = await judgeAfter(function* ({ path, text }) {
      writeFileSync(path, text.toString().replace(/^\{"seq":1,.*\n/m, ''));
      yield 'without the first message';
    });
    expect(without).toEqual(['without the first message', true]);
  });
});
