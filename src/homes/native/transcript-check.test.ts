import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { user } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { nativeLayout } from './native-layout.ts';
import { transcriptProblems } from './transcript-check.ts';

/** The kinds of problems found in a transcript of three messages after something was done to it. */
async function kindsAfter(change: (path: string) => void): Promise<string[]> {
  const layout = nativeLayout(tempDir());
  await using store = await openNativeStore(layout.root);
  await store.create({ id: 's', source: 'cli' });
  await store.append('s', ['a', 'b', 'c'].map(user));
  const path = layout.transcript('s');
  change(path);
  const session = await store.get('s');
  if (session === undefined) throw new Error('the session is gone');
  return (await transcriptProblems(path, session)).map(({ kind }) => kind);
}

/** Changes a file and keeps its length. */
function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed.length !== text.length || changed === text) throw new Error('not an edit of the same length');
  writeFileSync(path, changed);
}

describe('a look at a transcript', () => {
  it('finds nothing wrong with one that is as it was written', async () => {
    expect(await kindsAfter(() => undefined)).toEqual([]);
  });

  it.each<[string, string, (path: string) => void]>([
    ['is gone', 'transcript-missing', (path) => rmSync(path)],
    [
      'is a directory',
      'transcript-not-a-file',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    ['is too short', 'transcript-behind', (path) => truncateSync(path, 10)],
    ['is too long', 'transcript-ahead', (path) => appendFileSync(path, 'x')],
    [
      'has a damaged line before the end that it lost',
      'transcript-damaged',
      (path) => {
        edit(path, (text) => text.replace('{"seq":2', '\0\0\0\0\0\0\0\0'));
        truncateSync(path, readFileSync(path).length - 3);
      },
    ],
    [
      'grew in the middle',
      'transcript-damaged',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('{"seq":2', '{"more":1,"seq":2')),
    ],
    [
      'lost its last lines',
      'transcript-behind',
      (path) => truncateSync(path, readFileSync(path, 'utf8').indexOf('{"seq":2')),
    ],
    ['has whole lines too many', 'transcript-ahead', (path) => appendFileSync(path, '{"seq":4}\n{"seq":5}\n')],
    [
      'has a damaged line',
      'transcript-damaged',
      (path) => edit(path, (text) => text.replace('{"seq":2', '\0\0\0\0\0\0\0\0')),
    ],
    [
      'has lines out of order',
      'transcript-damaged',
      (path) => edit(path, (text) => text.replace('"seq":3', '"seq":1')),
    ],
    ['lost its last line break', 'transcript-damaged', (path) => edit(path, (text) => `${text.slice(0, -1)} `)],
  ])('sees that it %s', async (_what, kind, change) => {
    expect(await kindsAfter(change)).toEqual([kind]);
  });
});
