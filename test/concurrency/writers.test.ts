import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { checkProblems, messagesOf } from '../support/collect.ts';
import { openNativeStore } from '../support/native-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { transcriptDifferences } from '../support/transcript-differences.ts';

const WRITERS = ['w0', 'w1', 'w2', 'w3'];
const EACH = process.env['COPPICE_TORTURE'] === undefined ? 1000 : 5000;
const SCRIPT = fileURLToPath(new URL('../support/concurrent-writer.js', import.meta.url));

interface Given {
  readonly id: string;
  readonly content: string;
  readonly seq: number;
  readonly problems: number;
}

describe('four processes that write at once', () => {
  it(`keep every one of ${WRITERS.length} × ${EACH} messages, once and in order, and the transcripts equal`, async () => {
    const root = tempDir();
    const layout = nativeLayout(root);
    await using store = await openNativeStore(root);
    await store.create({ id: 'shared', source: 'cli' });
    const given = (await Promise.all(WRITERS.map((name) => runWriter(root, name)))).flat();
    expect(given).toHaveLength(WRITERS.length * EACH);
    expect(given.filter(({ problems }) => problems > 0)).toEqual([]);
    for (const id of ['shared', ...WRITERS]) {
      await expectStored(
        store,
        id,
        given.filter((message) => message.id === id),
      );
      expect(await transcriptDifferences(store, id, layout.transcript(id))).toEqual([]);
    }
    expect(await checkProblems(store)).toEqual([]);
    // All but the test itself have closed their store and given up their claims.
    expect((await store.holders()).map(({ process: { pid } }) => pid)).toEqual([process.pid]);
  }, 600_000);
});

async function runWriter(root: string, name: string): Promise<readonly Given[]> {
  const child = spawn(process.execPath, [SCRIPT, root, name, String(EACH)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  expect(code).toBe(0);
  return JSON.parse(output) as Given[];
}

/** Numbers without gaps, each message where its writer was told, and those of each writer in the order it wrote them. */
async function expectStored(store: SessionStore, id: string, given: readonly Given[]): Promise<void> {
  const stored = await messagesOf(store, id);
  expect(stored.map(({ seq }) => seq)).toEqual(given.map((_, index) => index + 1));
  const inOrder = given.toSorted((a, b) => a.seq - b.seq).map(({ content }) => content);
  expect(stored.map(({ content }) => content)).toEqual(inOrder);
  for (const writer of WRITERS) {
    const numbers = inOrder
      .filter((content) => content.startsWith(`${writer}:`))
      .map((content) => Number(content.split(':')[1]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
}
