import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { createFileObjects } from '../../src/objects/file/file-objects.ts';
import { type ArchiveDesk, openArchiveDesk } from '../support/archive-desk.ts';
import { bundlesIn, expectPaired } from '../support/archive-objects.ts';
import { collect, user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

let desk: ArchiveDesk;
let disk: string;

const elsewhere = () => ({ key: 'archive.url', value: `file:${disk}` });
const objects = () => createFileObjects(disk);
const cached = () => {
  const folder = join(desk.layout.root, 'cache', 'archive');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const problems = async () =>
  (await collect(desk.home.check())).flatMap((check) => check.problems.map(({ kind }) => kind));

beforeEach(async () => {
  disk = tempDir();
  desk = await openArchiveDesk();
  await desk.reopen(elsewhere());
});

describe('archived sessions in an object store', () => {
  it('come back as they were, are listed, and are found by title and by what was asked', async () => {
    await desk.add('a', [user('where is the treasure'), user('two')]);
    await (await desk.home.sessions.open('a')).rename('Gold');
    const before = desk.everything();
    const { details } = await desk.archive();
    expect(details).toEqual({ a: 'done' });
    expect(readdirSync(desk.layout.archive)).toEqual([]);
    expect(await bundlesIn(objects())).toHaveLength(2);
    expect((await collect(desk.home.sessions.list({ archived: true }))).map(({ id }) => id)).toEqual(['a']);
    for (const text of ['treasure', 'Gold']) {
      const found = await desk.home.sessions.search({ text });
      expect(found.map(({ session }) => session.id)).toEqual(['a']);
    }
    await desk.noProblems();
    await desk.restore('a');
    expect(desk.everything()).toEqual(before);
    expect(await bundlesIn(objects())).toEqual([]);
    await desk.noProblems();
  });

  it('can be read with standard tools by what stands beside them', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    const [home = ''] = readdirSync(disk);
    const [name = ''] = readdirSync(join(disk, home, 'manifests'));
    const manifest = JSON.parse(readFileSync(join(disk, home, 'manifests', name), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      format: 'coppice-archive-manifest',
      version: 1,
      home,
      bundle: name.replace('.json', '.tar'),
      sessions: [{ member: '1.jsonl.br', id: 'a', offsetBytes: 512 }],
    });
    expect(statSync(join(disk, home, 'bundles', name.replace('.json', '.tar'))).size).toBe(manifest['sizeBytes']);
    for (const part of ['bundles', 'manifests']) expect(statSync(join(disk, home, part)).mode & 0o077).toBe(0);
  });

  it('stay in the home when the disk is not mounted, and go once it is', async () => {
    await desk.add('a', [user('one')]);
    renameSync(disk, `${disk}-away`);
    const { details } = await desk.archive();
    expect(details['a']).toContain('is not there');
    expect((await desk.home.sessions.get('a'))?.archivedAt).toBeUndefined();
    expect(await collect((await desk.home.sessions.open('a')).messages())).toHaveLength(1);
    expect(existsSync(disk)).toBe(false);
    renameSync(`${disk}-away`, disk);
    expect((await desk.archive(101)).details).toEqual({ a: 'done' });
    await desk.noProblems();
  });

  it('never go into an empty folder where a disk was', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    await desk.add('b', [user('two')]);
    renameSync(disk, `${disk}-away`);
    mkdirSync(disk);
    const { details } = await desk.archive(300);
    expect(details['b']).toContain('home.json');
    expect(readdirSync(disk)).toEqual([]);
    expect(await problems()).toContain('archive-missing');
    await expect(desk.restore('a')).resolves.toMatchObject({ done: 0 });
    rmSync(disk, { recursive: true });
    renameSync(`${disk}-away`, disk);
    expect((await desk.archive(301)).details).toEqual({ b: 'done' });
    await desk.restore('a', 'b');
    await desk.noProblems();
  });

  it('are of one home, although others use the same place', async () => {
    await desk.add('a', [user('one')]);
    const other = await openArchiveDesk();
    await other.reopen(elsewhere());
    await other.add('a', [user('another')]);
    await desk.archive();
    await other.archive();
    expect(readdirSync(disk)).toHaveLength(2);
    await desk.restore('a');
    await other.noProblems();
    await other.restore('a');
    expect(await collect((await other.home.sessions.open('a')).messages())).toMatchObject([{ content: 'another' }]);
  });

  it('are not changed by a setting: what is in the home stays there, and what is elsewhere says where it is missed', async () => {
    await desk.reopen();
    await desk.add('here', [user('one')]);
    await desk.archive();
    await desk.reopen(elsewhere());
    await desk.add('there', [user('two')]);
    await desk.archive(300);
    expect(desk.bundles()).toHaveLength(1);
    await desk.noProblems();
    await desk.reopen();
    expect(await problems()).toEqual(['archive-out-of-reach']);
    const details: (string | undefined)[] = [];
    await (await desk.home.retention()).restore(['there'], { onOutcome: ({ detail }) => details.push(detail) });
    expect(details).toEqual([expect.stringContaining('no setting says in which')]);
    await desk.reopen(elsewhere());
    await desk.restore('here', 'there');
    await desk.noProblems();
    expect(await bundlesIn(objects())).toEqual([]);
  });

  it('expire by policy, wait in the trash, come back by undo, and are gone when its grace is over', async () => {
    for (const id of ['a', 'b']) await desk.add(id, [user(id)]);
    await desk.archive();
    desk.clock.advance(40 * DAY_MS);
    await desk.reopen(elsewhere(), { key: 'archive.retention_days', value: '30' });
    const expire = async () => desk.home.apply(await desk.home.plan({ kind: 'policy' }));
    const { run, done } = await expire();
    expect(done).toBe(2);
    expect(await bundlesIn(objects())).toHaveLength(2);
    await desk.home.undo(run.id);
    desk.clock.advance(1000);
    expect(await collect(desk.home.sessions.list({ archived: true }))).toHaveLength(2);
    await expire();
    expect(await bundlesIn(objects())).toHaveLength(2);
    desk.clock.advance(8 * DAY_MS);
    await expire();
    expect(await bundlesIn(objects())).toEqual([]);
    await desk.noProblems();
  });

  it('are written anew without what is gone, once that is most of a bundle', async () => {
    const noise = Array.from({ length: 400 }, (_, at) => user(`${at} ${Math.random()}`));
    await desk.add('small', [user('one')]);
    await desk.add('large', noise);
    await desk.archive();
    const [before] = await bundlesIn(objects());
    const gone = await desk.home.apply(await desk.home.plan({ kind: 'delete', ids: ['large'] }));
    expect(gone.done).toBe(1);
    await (await desk.home.retention()).emptyTrash(gone.run.id);
    const after = await bundlesIn(objects());
    expect(after).toHaveLength(2);
    expect(after).not.toContain(before);
    await expectPaired(objects());
    await desk.restore('small');
    await desk.noProblems();
  });

  it('leave what this home does not know alone, and say so', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    const [home = ''] = readdirSync(disk);
    writeFileSync(join(disk, home, 'bundles', 'mine.tar'), 'mine');
    expect(await problems()).toEqual(['unknown-file']);
    await desk.restore('a');
    expect(await bundlesIn(objects())).toEqual([`${home}/bundles/mine.tar`]);
  });

  it('are not taken for whole when they are damaged, and what was fetched wrong is not kept', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    const path = join(disk, (await bundlesIn(objects()))[0] ?? '');
    const whole = readFileSync(path);
    const damaged = Buffer.from(whole);
    damaged.write('damaged', 520);
    writeFileSync(path, damaged);
    expect(await desk.restore('a')).toMatchObject({ done: 0, skipped: 1 });
    expect(cached()).toEqual([]);
    writeFileSync(path, whole.subarray(0, 600));
    expect(await desk.restore('a')).toMatchObject({ done: 0, skipped: 1 });
    expect(await problems()).toEqual(['archive-missing']);
    writeFileSync(path, whole);
    expect(await desk.restore('a')).toMatchObject({ done: 1 });
    await desk.noProblems();
  });
});
