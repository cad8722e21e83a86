import fs, {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import type { NativeLayout } from '../../src/homes/native/native-layout.ts';
import { type ArchiveDesk, filesBelow, openArchiveDesk } from '../support/archive-desk.ts';
import { beforeCall } from '../support/before-call.ts';
import { NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';

let desk: ArchiveDesk;

beforeEach(async () => {
  desk = await openArchiveDesk();
});

describe('the archive of a native home, when something is in the way', () => {
  it('does not overwrite what stands where the files were', async () => {
    await desk.add('a', [user('one')]);
    const { runId } = await desk.archive();
    mkdirSync(desk.layout.sessionDir('a'), { recursive: true });
    writeFileSync(join(desk.layout.sessionDir('a'), 'mine'), 'not to be lost');
    expect(await desk.home.undo(runId)).toMatchObject({ done: 0, skipped: 1 });
    expect(readFileSync(join(desk.layout.sessionDir('a'), 'mine'), 'utf8')).toBe('not to be lost');
    expect((await desk.home.sessions.get('a'))?.archivedAt).toBe(desk.clock.now());
    rmSync(desk.layout.sessionDir('a'), { recursive: true });
    expect(await desk.home.undo(runId)).toMatchObject({ done: 1, skipped: 0 });
    await desk.noProblems();
  });

  it.skipIf(process.platform !== 'linux').each(['a run', 'all runs'])(
    'brings back nothing behind a link that takes the place of the trash of %s meanwhile',
    async (whose) => {
      await desk.add('a', [user('one')]);
      await (await desk.home.sessions.open('a')).dump({ url: 'https://example.com' });
      const before = desk.everything();
      const { runId } = await desk.archive();
      const place = whose === 'a run' ? desk.layout.trash(runId) : dirname(desk.layout.trash(runId));
      const outside = join(desk.layout.root, '..', 'outside');
      const victim = whose === 'a run' ? join(outside, '1') : join(outside, runId, '1');
      mkdirSync(victim, { recursive: true });
      writeFileSync(join(victim, 'canary'), 'not yours');
      const untouched = filesBelow(outside);
      const swap = () => {
        renameSync(place, `${place}-moved`);
        symlinkSync(outside, place);
      };
      // One file is written, and others are not.
      await beforeCall('futimesSync', swap, { act: () => desk.home.undo(runId).catch(() => undefined) });
      expect(filesBelow(outside)).toEqual(untouched);
      rmSync(place);
      renameSync(`${place}-moved`, place);
      expect(await desk.home.undo(runId)).toMatchObject({ skipped: 0 });
      expect(desk.everything()).toEqual(before);
      await desk.noProblems();
    },
  );

  it('changes nothing when the bundle is damaged or gone, and says so', async () => {
    await desk.add('a', [user('one'), user('two')]);
    const { runId } = await desk.archive();
    const path = join(desk.layout.archive, desk.bundles()[0] ?? '');
    const whole = readFileSync(path);
    truncateSync(path, 700);
    const details: string[] = [];
    const onOutcome = ({ detail = 'done' }) => details.push(detail);
    await desk.home.undo(runId, { onOutcome });
    expect(await desk.archiveProblems()).toEqual(['archive-damaged']);
    rmSync(path);
    await desk.home.undo(runId, { onOutcome });
    expect(await desk.archiveProblems()).toEqual(['archive-missing']);
    expect(details).toEqual(Array(2).fill(expect.stringContaining('is missing or damaged') as string));
    expect((await (await desk.home.retention()).scan()).problems.map(({ kind }) => kind)).toEqual(['archive-missing']);
    writeFileSync(path, whole, { mode: 0o600 });
    await desk.home.undo(runId, { onOutcome });
    expect(details[2]).toBe('done');
    expect(await collect((await desk.home.sessions.open('a')).messages())).toHaveLength(2);
  });

  it('leaves alone what it could not bring back', async () => {
    for (const id of ['link', 'names', 'fine']) await desk.add(id, [user('one')]);
    symlinkSync('/etc/hostname', join(desk.layout.sessionDir('link'), 'a link'));
    linkSync(desk.layout.transcript('names'), join(desk.layout.root, 'another name'));
    const before = filesBelow(desk.layout.sessions);
    const { details } = await desk.archive();
    expect(details).toEqual({
      link: expect.stringContaining('is neither a file nor a folder') as string,
      names: expect.stringContaining('has other names') as string,
      fine: 'done',
    });
    expect(await collect((await desk.home.sessions.open('link')).messages())).toHaveLength(1);
    expect(Object.keys(filesBelow(desk.layout.sessions))).toEqual(
      Object.keys(before).filter((path) => !/fine/.test(path)),
    );
  });

  it('skips a session that changes while it is archived', async () => {
    for (const id of ['a', 'b']) await desk.add(id, [user('one')]);
    desk.clock.set(NOW + 100 * DAY_MS);
    const plan = await desk.home.plan({ kind: 'archive', filter: {}, before: desk.clock.now() });
    await (await desk.home.sessions.open('a')).tag({ add: ['x'] });
    expect(await desk.home.apply(plan)).toMatchObject({ done: 1, skipped: 1 });
    expect((await desk.home.sessions.get('a'))?.archivedAt).toBeUndefined();
    expect(existsSync(desk.layout.transcript('a'))).toBe(true);
  });

  it('leaves an archive alone that was made anew since the plan was made', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    const plan = await desk.home.plan({ kind: 'delete', ids: ['a'] });
    await desk.restore('a');
    const session = await desk.home.sessions.open('a');
    await session.resume();
    await session.append(user('two'));
    await session.end('done');
    desk.clock.advance(HOUR_MS);
    await desk.home.apply(await desk.home.plan({ kind: 'archive', filter: {}, before: desk.clock.now() }));
    const said: (string | undefined)[] = [];
    await desk.home.apply(plan, { onOutcome: ({ detail }) => said.push(detail) });
    expect(said).toEqual(['It has changed since the plan was made.']);
    await desk.restore('a');
  });

  it.each([
    [
      'a bundle that is damaged on its way to the disk',
      'The archive could not be read back as it was written.',
      damage,
    ],
    ['files that are added meanwhile', 'Its files changed while it was archived.', addFile],
  ])('keeps a session because of %s', async (_, sentence, meanwhile) => {
    await desk.add('a', [user('one')]);
    await (await desk.home.sessions.open('a')).dump({ url: 'https://example.com' });
    const { details } = await onceWritten(
      () => meanwhile(desk.layout),
      () => desk.archive(),
    );
    expect(details).toEqual({ a: sentence });
    expect((await desk.home.sessions.get('a'))?.archivedAt).toBeUndefined();
    expect(await collect((await desk.home.sessions.open('a')).messages())).toMatchObject([{ content: 'one' }]);
    expect(existsSync(desk.layout.transcript('a'))).toBe(true);
  });
});

/** Does something when a file has been written and not yet been read back. */
async function onceWritten<T>(act: () => void, work: () => Promise<T>): Promise<T> {
  const real = fs.fsyncSync;
  fs.fsyncSync = (handle) => {
    real(handle);
    act();
  };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs.fsyncSync = real;
    syncBuiltinESMExports();
  }
}

/** The headers in a bundle take 512 bytes, and the first member follows its own. */
function damage(layout: NativeLayout): void {
  for (const name of existsSync(layout.archive) ? readdirSync(layout.archive) : []) {
    const handle = fs.openSync(join(layout.archive, name), 'r+');
    fs.writeSync(handle, 'damaged', 520);
    fs.closeSync(handle);
  }
}

function addFile(layout: NativeLayout): void {
  writeFileSync(join(layout.dumps('a'), '20260101T000000000Z-00000000.json'), '{}');
}
