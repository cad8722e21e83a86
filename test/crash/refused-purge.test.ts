import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { buildNative } from '../support/crashed-homes.ts';
import { SUBJECTS } from '../support/first-commands.ts';
import { refusing } from '../support/kill-program.ts';
import { STRACE_WORKS } from '../support/strace.ts';
import { tempDir } from '../support/temp-dir.ts';

describe.skipIf(!STRACE_WORKS)('trash that the file system does not let go', () => {
  it('is told alike by every command, with the reason and the next step, and goes once it can', async () => {
    const home = await buildNative(join(tempDir(), 'home'), Date.now());
    const deleted = await coppiceJson<{ run: { id: string } }>(home, ['sessions', 'delete', ...SUBJECTS, '--yes']);
    const { id } = deleted.run;
    const all = SUBJECTS.length;
    const now = (...line: string[]) => refusing(home, line, { call: 'rmdir', error: 'EROFS' });

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
