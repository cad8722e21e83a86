import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunItem } from '../../src/core/retention/run.ts';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { buildNative } from '../support/crashed-homes.ts';
import { SUBJECTS } from '../support/first-commands.ts';
import { refusing } from '../support/kill-program.ts';
import { STRACE_WORKS } from '../support/strace.ts';
import { tempDir } from '../support/temp-dir.ts';

describe.skipIf(!STRACE_WORKS)('trash that the file system does not let go', () => {
  const deleted = async (home: string, ids: readonly string[]) =>
    (await coppiceJson<{ run: { id: string } }>(home, ['sessions', 'delete', ...ids, '--yes'])).run.id;

  it('goes with the next command where it was refused once, and what went is counted alone', async () => {
    const home = await buildNative(join(tempDir(), 'home'), Date.now());
    const id = await deleted(home, SUBJECTS);
    const line = ['trash', 'empty', '--all', '--yes', '--json'];
    const { status, stdout, stderr } = await refusing(home, line, 'rmdir:error=EIO:when=1');
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: expect.stringContaining(`coppice runs show ${id}`) });
    const { sizeBytes, ...counts } = JSON.parse(stdout) as Record<string, number>;
    const { items } = await coppiceJson<{ items: RunItem[] }>(home, ['runs', 'show', id]);
    const all = items.reduce((sum, item) => sum + item.sizeBytes, 0);
    expect(counts).toMatchObject({ itemCount: SUBJECTS.length - 1, skipped: 1 });
    expect(sizeBytes).toBeGreaterThan(0);
    expect(sizeBytes).toBeLessThan(all);
    expect(items.map(({ state }) => state)).toEqual(SUBJECTS.map(() => 'purged'));
  });

  it('is told alike by every command, with the reason and the next step, and goes once it can', async () => {
    const home = await buildNative(join(tempDir(), 'home'), Date.now());
    const id = await deleted(home, SUBJECTS);
    const all = SUBJECTS.length;
    const now = (...line: string[]) => refusing(home, line, 'rmdir:error=EROFS:when=1+');

    const emptied = await now('trash', 'empty', '--all', '--yes');
    expect(emptied.status).toBe(3);
    expect(emptied.stdout).toMatch(/^Removed 0 items for good \(0 B\)\./);
    expect(emptied.stderr).toContain(`Find out why with: coppice runs show ${id} --home`);
    const { stdout: shown } = await now('runs', 'show', id);
    expect(shown.match(/not finished: .*EROFS/g)).toHaveLength(all);
    expect(shown).toContain(
      `${all} items of it could not be removed for good yet. Try again with: coppice trash empty ${id}`,
    );
    expect((await now('undo')).stderr).toMatch(/nothing to undo: what is left in the trash was to be removed for good/);
    const { stdout: list } = await now('trash', 'list');
    expect(list).toContain(`${all} items of these could not be removed for good yet.`);
    expect(list).not.toContain('Give one back');
    const doctor = await now('doctor');
    expect({ status: doctor.status, stderr: doctor.stderr }).toEqual({ status: 0, stderr: '' });
    expect(doctor.stdout).toContain(`Run ${id} was cut short, and what it had begun is not finished.`);

    expect((await coppice(home, ['runs', 'show', id])).stdout.match(/gone for good/g)).toHaveLength(all);
    expect((await coppice(home, ['undo'])).stderr).toMatch(/nothing to undo: the trash is empty/);
    expect((await coppice(home, ['doctor'])).stdout).toMatch(/Everything is in order/);
  });
});
