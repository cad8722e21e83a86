import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openTakenFiles } from './taken-files.ts';

const LONG = `${'n'.repeat(249)}.jsonl`;

function makeHome(names: readonly string[]) {
  const home = tempDir();
  const root = join(home, '.coppice', 'trash', 'run');
  mkdirSync(join(home, 'sessions'));
  for (const name of names) writeFileSync(join(home, 'sessions', name), name);
  const inSessions = () => readdirSync(join(home, 'sessions')).toSorted();
  return { home, root, inSessions };
}

/** What an older version, or an archive, leaves: a folder for the item. */
function putOwn(root: string, number: number, names: readonly string[]): void {
  const folder = join(root, '1', String(number));
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), name);
}

describe('the files that a run took', () => {
  it('share one folder, whichever item they are of', async () => {
    const { home, root, inSessions } = makeHome(['a.json', 'b.json', 'c.json']);
    using files = openTakenFiles(home, root);
    expect(files.take(1, ['a.json', 'b.json'])).toEqual([]);
    expect(files.take(22, ['c.json', 'gone.json'])).toEqual([]);
    await files.sync();
    expect(readdirSync(join(root, '1'))).toEqual(['files']);
    expect(readdirSync(join(root, '1', 'files')).toSorted()).toEqual(['1.a.json', '1.b.json', '22.c.json']);
    expect(inSessions()).toEqual([]);
    using again = openTakenFiles(home, root);
    expect([1, 2, 22].map((number) => again.knows(number))).toEqual([true, false, true]);
    expect(again.names(22)).toEqual(['c.json']);
    expect(again.take(1, ['b.json'])).toEqual(['b.json']);
    for (const number of [1, 2, 22]) again.bringBack(number, again.names(number));
    expect(inSessions()).toEqual(['a.json', 'b.json', 'c.json']);
    expect(again.knows(1)).toBe(false);
  });

  it('have a folder of their own where a number before the name would make it too long', () => {
    const { home, root, inSessions } = makeHome([LONG]);
    using files = openTakenFiles(home, root);
    files.take(7, [LONG]);
    expect(readdirSync(join(root, '1', '7'))).toEqual([LONG]);
    using again = openTakenFiles(home, root);
    again.bringBack(7, again.names(7));
    expect(inSessions()).toEqual([LONG]);
  });

  it('come back and go for good from folders that an older version made', async () => {
    const { home, root, inSessions } = makeHome([]);
    putOwn(root, 3, ['a.json', 'b.json']);
    putOwn(root, 4, ['c.json']);
    using files = openTakenFiles(home, root);
    files.bringBack(3, files.names(3));
    await files.purge(4);
    expect(inSessions()).toEqual(['a.json', 'b.json']);
    expect(readdirSync(join(root, '1'))).toEqual(['3']);
  });

  it('go for good with their item alone, and a folder in their place as well', async () => {
    const { home, root } = makeHome(['a.json', 'b.json']);
    mkdirSync(join(home, 'sessions', 'd.json', 'inner'), { recursive: true });
    using files = openTakenFiles(home, root);
    files.take(1, ['a.json', 'd.json']);
    files.take(2, ['b.json']);
    await files.purge(1);
    await files.purge(1);
    expect(readdirSync(join(root, '1', 'files'))).toEqual(['2.b.json']);
  });

  it('can be gathered in a folder of one item, and come back from there', () => {
    const { home, root, inSessions } = makeHome(['a.json', 'b.json']);
    using files = openTakenFiles(home, root);
    files.take(1, ['a.json']);
    files.take(2, ['b.json']);
    files.gather(1);
    files.gather(1);
    expect(readFileSync(join(root, '1', '1', 'a.json'), 'utf8')).toBe('a.json');
    expect(readdirSync(join(root, '1', 'files'))).toEqual(['2.b.json']);
    files.bringBack(1, files.names(1));
    expect(inSessions()).toEqual(['a.json']);
  });
});
