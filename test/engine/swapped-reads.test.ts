import fs, { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ArchiveDesk, openArchiveDesk } from '../support/archive-desk.ts';
import { beforeCall } from '../support/before-call.ts';
import { collect, user } from '../support/collect.ts';
import { treeOf } from '../support/engine-checker.ts';
import { tempDir } from '../support/temp-dir.ts';

describe.skipIf(process.platform !== 'linux')('a folder that is swapped for a link while a home is read', () => {
  let desk: ArchiveDesk;
  let outside: string;

  beforeEach(async () => {
    desk = await openArchiveDesk();
    outside = join(tempDir(), 'outside');
    mkdirSync(outside);
  });

  function swap(path: string): void {
    renameSync(path, `${path}-moved`);
    symlinkSync(outside, path);
  }

  it('is read as it was opened for the archive, and nothing outside gets into it', async () => {
    await desk.add('a', [user('one')]);
    await (await desk.home.sessions.open('a')).dump({ url: 'https://example.com', body: { text: 'ours' } });
    const dumps = desk.layout.dumps('a');
    const [name = ''] = readdirSync(dumps);
    const ours = readFileSync(join(dumps, name), 'utf8');
    writeFileSync(join(outside, name), ours.replace('ours', 'mine'));
    const isMeant = (path: unknown, flags: unknown) =>
      String(path).endsWith(name) && (Number(flags) & fs.constants.O_WRONLY) === 0;
    // The folder is back in its place when the files are moved, so the archive is made, of what was read.
    const back = () => {
      fs.unlinkSync(dumps);
      renameSync(`${dumps}-moved`, dumps);
    };
    const { details } = await beforeCall('openSync', () => swap(dumps), {
      isMeant,
      act: () =>
        beforeCall('renameSync', back, {
          act: () => desk.archive(),
          isMeant: (from) => /\/tmp-|\.tmp-/.test(String(from)),
        }),
    });
    expect(details).toEqual({ a: 'done' });
    await desk.restore('a');
    expect(readFileSync(join(dumps, name), 'utf8')).toBe(ours);
  });

  it('gets no copy of the database from a doctor', async () => {
    const before = treeOf(outside);
    const real = fs.mkdirSync;
    let met = 0;
    const made = (path: string, options: fs.MakeDirectoryOptions) => {
      const result = real(path, options);
      if (!path.includes('.tmp-doctor-')) return result;
      met += 1;
      swap(path);
      return result;
    };
    fs.mkdirSync = made as typeof real;
    syncBuiltinESMExports();
    try {
      await expect(collect(desk.home.check())).rejects.toThrow('is a link or no folder');
    } finally {
      fs.mkdirSync = real;
      syncBuiltinESMExports();
    }
    expect(met).toBe(1);
    expect(treeOf(outside)).toEqual(before);
  });
});
