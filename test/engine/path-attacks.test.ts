import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/core/retention/plan.ts';
import { manualClock } from '../support/clock.ts';
import { treeOf } from '../support/engine-checker.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { buildScene, copyScene, FILES_REQUEST, RUN_AT } from '../support/engine-scene.ts';
import { CAN_MOUNT, mountDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('paths that lead somewhere else', () => {
  let directory: string;
  let at: EngineHome;
  let before: ReturnType<typeof treeOf>;
  let outside: string;

  beforeEach(async () => {
    directory = tempDir();
    await buildScene(join(directory, 'built'));
    const path = copyScene(join(directory, 'built'), join(directory, 'scene'));
    outside = join(directory, 'scene', 'outside');
    at = await openEngineHome(path, { clock: manualClock(RUN_AT) });
    mkdirSync(join(outside, 'victim', 'dumps'), { recursive: true });
    for (const name of ['transcript.jsonl', 'dumps/one.json'])
      writeFileSync(join(outside, 'victim', name), 'not yours\n');
    before = treeOf(outside);
  });
  afterEach(async () => {
    await at[Symbol.asyncDispose]();
    expect(treeOf(outside)).toEqual(before);
  });

  async function detailsOf(plan: Plan): Promise<Record<string, string>> {
    const details: Record<string, string> = {};
    await at.retention.apply(plan, { onOutcome: ({ item, detail }) => (details[item.id] = detail ?? 'done') });
    return details;
  }

  const removal = () => at.retention.plan({ kind: 'delete', ids: ['a', 'old'] });
  const dir = (id: string) => at.parts.layout.sessionDir(id);

  function trashedRows(): unknown {
    const raw = new BetterSqlite3(at.parts.layout.database, { readonly: true });
    try {
      return raw.prepare(`SELECT count(*) FROM sessions WHERE state = 'trashed'`).pluck().get();
    } finally {
      raw.close();
    }
  }

  function replaceByLink(path: string): void {
    renameSync(path, `${path}-moved`);
    symlinkSync(join(outside, 'victim'), path);
  }

  it('skips a session whose directory is a link, and goes on', async () => {
    const plan = await removal();
    replaceByLink(dir('a'));
    const details = await detailsOf(plan);
    expect(details).toEqual({ a: expect.stringContaining('neither a file nor a folder') as string, old: 'done' });
    expect((await at.home.sessions.get('a'))?.messageCount).toBe(6);
  });

  it('drops no files through a directory that is a link', async () => {
    const plan = await at.retention.plan(FILES_REQUEST);
    replaceByLink(dir('a'));
    expect((await detailsOf(plan))['a']).toContain('is a link or no folder');
  });

  it.each(['removal', 'drop'])('follows no link above a session directory, for a %s', async (kind) => {
    const plan = kind === 'drop' ? await at.retention.plan(FILES_REQUEST) : await removal();
    const shard = dirname(dir('a'));
    renameSync(shard, join(outside, 'shard'));
    symlinkSync(join(outside, 'shard'), shard);
    before = treeOf(outside);
    expect((await detailsOf(plan))['a']).toContain('is a link or no folder');
  });

  it('gives nothing back through a link', async () => {
    const { run } = await at.retention.apply(await at.retention.plan(FILES_REQUEST));
    replaceByLink(dirname(dir('a')));
    const details: Record<string, string> = {};
    await at.retention.undo(run.id, { onOutcome: ({ item, detail }) => (details[item.id] = detail ?? 'done') });
    expect(details['a']).toContain('is a link or no folder');
    expect(details['old']).toBe('done');
  });

  it('moves nothing into a trash that is a link', async () => {
    const plan = await removal();
    symlinkSync(join(outside, 'victim'), join(at.home.path, 'trash'));
    await expect(at.retention.apply(plan)).rejects.toMatchObject({ name: 'Failure', code: 'refused' });
    expect(existsSync(dir('a'))).toBe(true);
    expect(await at.home.sessions.get('a')).toBeDefined();
    rmSync(join(at.home.path, 'trash'));
    await at.retention.apply(plan);
    expect(await at.home.sessions.get('a')).toBeUndefined();
  });

  it('purges nothing through a link', async () => {
    const { run } = await at.retention.apply(await removal());
    const trash = at.parts.layout.trash(run.id);
    renameSync(trash, `${trash}-moved`);
    mkdirSync(join(outside, 'victim', '1'));
    writeFileSync(join(outside, 'victim', '1', 'file'), 'not yours\n');
    before = treeOf(outside);
    symlinkSync(join(outside, 'victim'), trash);
    expect(await at.retention.emptyTrash(run.id)).toMatchObject({ items: 0, skipped: 2 });
    // The rows wait for their files, and whoever comes next finishes it once that is put right.
    expect(trashedRows()).toBe(2);
    rmSync(trash);
    renameSync(`${trash}-moved`, trash);
    await at.retention.emptyTrash(run.id);
    expect([trashedRows(), existsSync(trash)]).toEqual([0, false]);
  });

  it('leaves a transcript alone that has another name', async () => {
    const plan = await at.retention.plan(FILES_REQUEST);
    linkSync(at.parts.layout.transcript('a'), join(outside, 'second name'));
    before = treeOf(outside);
    expect((await detailsOf(plan))['a']).toContain('has other names');
    expect(existsSync(at.parts.layout.transcript('a'))).toBe(true);
    expect((await at.home.sessions.get('a'))?.transcriptBytes).toBeGreaterThan(0);
  });

  it.each(['state.db', 'sessions', 'sessions/../state.db', '../outside/victim/transcript.jsonl'])(
    'takes no plan at its word that %s is a stray',
    async (id) => {
      const { size, mtimeMs } = statSync(join(at.home.path, id));
      const fingerprint = `${Math.floor(mtimeMs)}:${size}`;
      const about = { item: { kind: 'orphan', id }, sizeBytes: size, fingerprint, skipsTrash: true } as const;
      const plan = await at.retention.plan({ kind: 'policy' });
      const forged: Plan = { ...plan, decisions: [{ ...about, action: 'remove', reason: 'orphan' }] };
      expect(await detailsOf(forged)).toEqual({ [id]: 'It has changed since the plan was made.' });
      expect(statSync(join(at.home.path, id)).size).toBeGreaterThan(0);
    },
  );

  it.skipIf(!CAN_MOUNT)('skips a session directory on another file system', async () => {
    const plan = await removal();
    await mounted(dir('a'), async () => {
      const details = await detailsOf(plan);
      expect(details).toEqual({ a: expect.stringContaining('another file system') as string, old: 'done' });
    });
  });

  it.skipIf(!CAN_MOUNT)('purges nothing that lies on another file system', async () => {
    const { run } = await at.retention.apply(await removal());
    const place = join(at.parts.layout.trash(run.id), '1', 'dumps');
    mkdirSync(place, { recursive: true });
    await mounted(place, async () => {
      writeFileSync(join(place, 'file'), 'not yours\n');
      expect(await at.retention.emptyTrash(run.id)).toMatchObject({ items: 1, skipped: 1 });
      expect(existsSync(join(place, 'file'))).toBe(true);
    });
    await at.recover();
    expect(existsSync(place)).toBe(false);
  });
});

async function mounted(path: string, act: () => Promise<void>): Promise<void> {
  const unmount = mountDisk(path, '1m');
  try {
    await act();
  } finally {
    unmount();
  }
}
