import { mkdirSync, readFileSync, rmdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILE_NOW, putFile } from '../../../test/support/file-home-scene.ts';
import { taskItem } from '../../../test/support/task-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { taskIndex } from './task-index.ts';

const IDS = ['a', 'b', 'c', 'd'].map((letter) => `01a1de37-${letter}`);

function withIndex(space?: number) {
  const home = tempDir();
  const entries = IDS.map((id, at) => taskItem({ id, daysAgo: 40 + at }));
  putFile(home, 'tasks/_index.json', JSON.stringify({ version: 1, updatedAt: 5, entries }, undefined, space), FILE_NOW);
  const read = () => readFileSync(join(home, 'tasks/_index.json'), 'utf8');
  const listed = () => (JSON.parse(read()) as { entries: { id: string }[] }).entries.map(({ id }) => id);
  const take = async (id: string) => {
    const copy = (await taskIndex.copy(home, id)) ?? '';
    await taskIndex.takeOut(home, id, copy);
    return copy;
  };
  return { home, read, listed, take };
}

describe('the list of tasks', () => {
  it.each([undefined, 2])(
    'is byte for byte what it was once everything came back, in any order (%s)',
    async (space) => {
      const { home, read, listed, take } = withIndex(space);
      const before = read();
      const copies = [[IDS[1], await take(IDS[1] ?? '')] as const, [IDS[2], await take(IDS[2] ?? '')] as const];
      expect(listed()).toEqual([IDS[0], IDS[3]]);
      for (const [id = '', copy] of copies) await taskIndex.putBack(home, id, copy);
      for (const [id = '', copy] of copies) await taskIndex.putBack(home, id, copy);
      expect(read()).toBe(before);
    },
  );

  it('keeps what was said of a task after the copy was made', async () => {
    const { home, read, listed } = withIndex();
    const copy = (await taskIndex.copy(home, IDS[0] ?? '')) ?? '';
    writeFileSync(join(home, 'tasks/_index.json'), read().replace('Question 01a1de37-a', 'Something else'));
    await taskIndex.takeOut(home, IDS[0] ?? '', copy);
    expect(listed()).toEqual(IDS);
  });

  it.each(['{"entries":{}}', '{"entries":[{"id":"01a1de37-a"}', '[ {"id":"01a1de37-a"} ]'])(
    'is left alone, and its tasks with it, where it could not be written back: %s',
    async (text) => {
      const home = tempDir();
      putFile(home, 'tasks/_index.json', text.replace('{}', '{"01a1de37-a":1}'));
      await expect(taskIndex.copy(home, '01a1de37-a')).rejects.toThrow(/shape that is not known/);
    },
  );

  it('is not touched while its owner writes it, and is once a lock was left behind', async () => {
    const { home, take, listed } = withIndex();
    const lock = join(home, 'tasks/_index.json.lock');
    mkdirSync(lock);
    await expect(taskIndex.copy(home, IDS[0] ?? '')).rejects.toThrow('Roo Code holds the lock of its list of tasks.');
    utimesSync(lock, Date.now() / 1000 - 61, Date.now() / 1000 - 61);
    await take(IDS[0] ?? '');
    expect(listed()).toEqual(IDS.slice(1));
    expect(() => rmdirSync(lock)).toThrow(/ENOENT/);
  }, 20_000);

  it('holds its tasks where it is a link', () => {
    const { home } = withIndex();
    const other = tempDir();
    mkdirSync(join(other, 'tasks'));
    symlinkSync(join(home, 'tasks/_index.json'), join(other, 'tasks/_index.json'));
    expect(taskIndex.obstacle?.(other)).toMatch(/is a link or has other names/);
  });
});
