import { mkdirSync, readdirSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/checkpoint-desk.ts';
import { manualClock } from '../support/clock.ts';
import { listTree } from '../support/hostile-trees.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A project on a small disk of its own. */
function smallProject(): string {
  const workdir = join(smallDisk('3m'), 'work');
  mkdirSync(workdir);
  return workdir;
}

describe.skipIf(!CAN_MOUNT)('a restore on a full disk', () => {
  it('leaves no half-written file, says what is missing, and goes on when there is room', async () => {
    const workdir = smallProject();
    await using desk = await openDesk({ root: tempDir(), clock: manualClock(), workdir });
    const put = (name: string, content: string) => writeFileSync(join(workdir, name), content);
    put('big', 'x'.repeat(1000 * 1024));
    put('small', 'one');
    const target = await desk.take();
    const taken = listTree(workdir);
    put('big', 'two');
    put('small', 'two');
    const changed = listTree(workdir);
    fill(join(workdir, 'excluded-by-config'));
    const { skipped, runId = '' } = await desk.restore(target);
    expect(skipped[0]).toMatch(/^big: The disk is full\./);
    expect(listTree(workdir)).toMatchObject({ big: 'file two' });
    expect(readdirSync(workdir).toSorted()).toEqual(['big', 'excluded-by-config', 'small']);
    unlinkSync(join(workdir, 'excluded-by-config'));
    const again = await desk.restore(target);
    expect(again.skipped).toEqual([]);
    expect(listTree(workdir)).toEqual(taken);
    for (const id of [again.runId ?? '', runId]) expect(await desk.undo(id)).toEqual([]);
    expect(listTree(workdir)).toEqual(changed);
  });
});

describe.skipIf(!CAN_MOUNT)('a restore on a disk that is nearly full', () => {
  it('needs room for one file at a time, however many there are', async () => {
    const workdir = smallProject();
    await using desk = await openDesk({ root: tempDir(), clock: manualClock(), workdir });
    const putAll = (letter: string) => {
      for (let at = 0; at < 20; at += 1) writeFileSync(join(workdir, `f${at}`), `${at}${letter.repeat(100 * 1024)}`);
    };
    putAll('a');
    const target = await desk.take();
    const taken = listTree(workdir);
    putAll('b');
    fill(join(workdir, 'excluded-by-config'));
    truncateSync(join(workdir, 'excluded-by-config'), statSync(join(workdir, 'excluded-by-config')).size - 250 * 1024);
    expect((await desk.restore(target)).skipped).toEqual([]);
    unlinkSync(join(workdir, 'excluded-by-config'));
    expect(listTree(workdir)).toEqual(taken);
  });
});

/** Writes until there is no room. */
function fill(path: string): void {
  for (;;) {
    try {
      writeFileSync(path, 'z'.repeat(4096), { flag: 'a' });
    } catch {
      return;
    }
  }
}
