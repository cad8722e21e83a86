import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { Plan } from '../../src/core/retention/plan.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { wait } from '../../src/platform/machine/wait.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('retention of a native home', () => {
  let path: string;
  let clock: ReturnType<typeof manualClock>;
  let home: Home;

  beforeEach(async () => {
    path = join(tempDir(), 'home');
    clock = manualClock(NOW);
    home = await openHome({ path, clock, env: {} });
  });

  afterEach(() => home.close());

  async function aSession(id: string, messages = 10): Promise<void> {
    const session = await home.sessions.create({ id, source: 'cli', title: `about ${id}` });
    await session.appendAll(
      Array.from({ length: messages }, (_, index) => ({ role: 'user' as const, content: `${id} says word${index}` })),
    );
    await session.dump({ url: 'https://example.com', body: { id } });
    await session.recordUsage({ model: 'm', inputTokens: 10, costUsd: 0.5 });
    await session.end('done');
  }

  /** Everything a user can see or find of the sessions, and every file. */
  async function seen() {
    const sessions = [];
    for (const facts of await collect(home.sessions.list())) {
      const session = await home.sessions.open(facts.id);
      sessions.push([facts, await collect(session.messages()), await session.usageByModel()]);
    }
    const found = (await home.sessions.search({ text: 'word1' })).map((hit) => [hit.session.id, hit.excerpt]);
    return { sessions, found, files: hashTree(join(path, 'sessions')) };
  }

  const removed = (plan: Plan) =>
    plan.decisions
      .filter(({ action }) => action !== 'keep')
      .map(({ item, action, reason }) => [item.id, action, reason]);

  it('removes what the rules let go of, and gives it back exactly', async () => {
    await aSession('old');
    await aSession('trivial', 2);
    clock.advance(60 * DAY_MS);
    await aSession('recent');
    clock.advance(40 * DAY_MS);
    const before = await seen();

    const plan = await home.plan();
    expect(removed(plan)).toEqual([
      ['old', 'remove', 'retention'],
      ['trivial', 'remove', 'trivial'],
      ['recent', 'drop-dumps', 'dump-age'],
    ]);
    const { run, done, skipped } = await home.apply(plan);
    expect({ done, skipped }).toEqual({ done: 3, skipped: 0 });
    expect((await collect(home.sessions.list())).map(({ id }) => id)).toEqual(['recent']);
    expect((await home.sessions.search({ text: 'old' })).map((hit) => hit.session.id)).toEqual([]);
    expect(existsSync(nativeLayout(path).sessionDir('old'))).toBe(false);
    expect(removed(await home.plan())).toEqual([]);

    expect(await home.undo(run.id)).toMatchObject({ done: 3, skipped: 0 });
    expect(await seen()).toEqual(before);
    for await (const { name, problems } of home.check()) expect(problems, name).toEqual([]);
  });

  it('removes exactly what was planned, and skips what changed since', async () => {
    await aSession('one');
    await aSession('two');
    await aSession('three');
    clock.advance(100 * DAY_MS);
    const plan = await home.plan({ kind: 'delete', ids: ['one', 'two'] });
    await (await home.sessions.open('one')).pin();
    const outcomes: string[] = [];
    const applied = await home.apply(plan, { onOutcome: ({ item, status }) => outcomes.push(`${item.id} ${status}`) });
    expect(outcomes.toSorted()).toEqual(['one skipped', 'two done']);
    expect(applied).toMatchObject({ done: 1, skipped: 1 });
    expect((await collect(home.sessions.list())).map(({ id }) => id).toSorted()).toEqual(['one', 'three']);
  });

  it('leaves no folder in the trash for a run that put nothing there', async () => {
    await aSession('archived');
    await aSession('pinned since');
    clock.advance(100 * DAY_MS);
    const skipping = await home.plan({ kind: 'prune', filter: {}, before: clock.now(), part: 'files' });
    const archiving = await home.plan({ kind: 'archive', filter: { title: 'archived' }, before: clock.now() });
    await (await home.sessions.open('pinned since')).pin();
    await home.apply(archiving);
    expect(await home.apply(skipping)).toMatchObject({ done: 0, skipped: 2 });
    expect(readdirSync(join(path, 'trash'))).toEqual([]);
  });

  it('never removes a session that a process has taken up since the plan was made', async () => {
    await aSession('busy');
    clock.advance(100 * DAY_MS);
    const plan = await home.plan({ kind: 'delete', ids: ['busy'] });
    const other = await openHome({ path, clock, env: {} });
    const session = await other.sessions.open('busy');
    await session.resume();
    expect(await home.apply(plan)).toMatchObject({ done: 0, skipped: 1 });
    await other.close();
  });

  it('drops files and leaves the rows readable, and gives the files back', async () => {
    await aSession('kept');
    clock.advance(2 * DAY_MS);
    const before = await seen();
    const plan = await home.plan({ kind: 'prune', filter: {}, before: clock.now() - HOUR_MS, part: 'files' });
    expect(removed(plan)).toEqual([['kept', 'drop-files', 'selected']]);
    const { run } = await home.apply(plan);
    expect(await collect((await home.sessions.open('kept')).messages())).toHaveLength(10);
    expect((await home.sessions.get('kept'))?.transcriptBytes).toBe(0);
    for await (const { name, problems } of home.check()) expect(problems, name).toEqual([]);
    await home.undo(run.id);
    expect(await seen()).toEqual(before);
  });

  it('goes on with a new transcript when files were dropped and the session is taken up again', async () => {
    await aSession('kept');
    clock.advance(2 * DAY_MS);
    const { run } = await home.apply(
      await home.plan({ kind: 'prune', filter: {}, before: clock.now(), part: 'files' }),
    );
    const session = await home.sessions.open('kept');
    await session.resume();
    expect((await session.append({ role: 'user', content: 'back again' })).problems).toEqual([]);
    const lines = readFileSync(nativeLayout(path).transcript('kept'), 'utf8').trim().split('\n');
    expect(lines.slice(1).map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([11]);
    // The new file stands where the old one was: it is not overwritten.
    expect(await home.undo(run.id)).toMatchObject({ done: 0, skipped: 1 });
  });

  it('does not give a session back whose id another has by now, and keeps it in the trash', async () => {
    await aSession('name');
    clock.advance(100 * DAY_MS);
    const { run } = await home.apply(await home.plan({ kind: 'delete', ids: ['name'] }));
    await home.sessions.create({ id: 'name', source: 'cli' });
    expect(await home.undo(run.id)).toMatchObject({ done: 0, skipped: 1 });
    await (await home.retention()).emptyTrash(run.id);
    expect((await home.sessions.get('name'))?.messageCount).toBe(0);
  });

  it('counts what is in the trash once, and no longer once that is emptied', async () => {
    const session = await home.sessions.create({ id: 'big', source: 'cli' });
    for (let part = 0; part < 8; part += 1) await session.append({ role: 'user', content: 'x'.repeat(250_000) });
    await session.end('done');
    const retention = await home.retention();
    const used = async () => {
      const { usedBytes, parts } = (await retention.scan()).disk;
      // The reserve is laid in by the first change.
      return usedBytes - (parts?.reserve ?? 0);
    };
    const before = await used();
    const { run } = await home.apply(await home.plan({ kind: 'delete', ids: ['big'] }));
    expect(Math.abs((await used()) - before)).toBeLessThan(500_000);
    await retention.emptyTrash(run.id);
    expect(before - (await used())).toBeGreaterThan(4_000_000);
  });

  it('purges trash past its grace, rows and files, and leaves the ledger', async () => {
    await aSession('old');
    clock.advance(100 * DAY_MS);
    const { run } = await home.apply(await home.plan({ kind: 'delete', ids: ['old'] }));
    clock.advance(8 * DAY_MS);
    const plan = await home.plan();
    expect(removed(plan)).toEqual([[run.id, 'purge', 'trash-expired']]);
    await home.apply(plan);
    expect(await home.undo(run.id)).toMatchObject({ done: 0, skipped: 0 });
    expect(existsSync(join(nativeLayout(path).trash(run.id), '1'))).toBe(false);
    expect(removed(await home.plan())).toEqual([]);
  });

  it('refuses a plan for another home and one that is too old', async () => {
    await aSession('old');
    const plan = await home.plan({ kind: 'delete', ids: ['old'] });
    await expect(home.apply({ ...plan, home: { ...plan.home, id: 'another' } })).rejects.toThrow('another home');
    clock.advance(2 * DAY_MS);
    await expect(home.apply(plan)).rejects.toThrow('more than a day old');
  });

  it('changes nothing while another process has the lock, and goes on when it is free', async () => {
    for (const id of ['a', 'b', 'c']) await aSession(id);
    clock.advance(100 * DAY_MS);
    const { run: first } = await home.apply(await home.plan({ kind: 'delete', ids: ['a'] }));
    const { run: second } = await home.apply(await home.plan({ kind: 'delete', ids: ['b'] }));
    const plan = await home.plan({ kind: 'delete', ids: ['c'] });
    const retention = await home.retention();
    const lock = new BetterSqlite3(join(path, 'lock.db'));
    lock.exec('BEGIN EXCLUSIVE');
    const changes = [home.apply(plan), home.undo(first.id), retention.emptyTrash(second.id)];
    const before = await seen();
    expect(await Promise.race([...changes, wait(1000)])).toBeUndefined();
    expect(await seen()).toEqual(before);
    lock.close();
    expect(await Promise.all(changes)).toMatchObject([{ done: 1 }, { done: 1 }, { items: 1 }]);
  });

  it('remembers the time at which it removed, so that a clock set back removes nothing by age', async () => {
    for (const id of ['a', 'b', 'newest']) {
      await aSession(id);
      clock.advance(DAY_MS);
    }
    clock.advance(300 * DAY_MS);
    await home.apply(await home.plan({ kind: 'delete', ids: ['a'] }));
    clock.advance(-100 * DAY_MS);
    const plan = await home.plan();
    expect(plan.notes.join('\n')).toContain('the clock of this machine may be wrong');
    expect(removed(plan)).toEqual([]);
  });

  it('stops between two groups when told to, and gives back what it removed', async () => {
    const ids = Array.from({ length: 550 }, (_, at) => `s${at}`);
    await Promise.all(ids.map(async (id) => (await home.sessions.create({ id, source: 'cli' })).end('done')));
    const plan = await home.plan({ kind: 'delete', ids });
    const stop = new AbortController();
    const count = async () => (await collect(home.sessions.list())).length;
    await expect(home.apply(plan, { signal: stop.signal, onOutcome: () => stop.abort() })).rejects.toThrow('aborted');
    expect(await count()).toBe(50);
    const [run] = await collect((await home.retention()).runs());
    expect(await home.undo(run?.id ?? '')).toMatchObject({ done: 500 });
    expect(await count()).toBe(550);
  });

  it('leaves files without a session alone that changed since the plan was made', async () => {
    const orphan = join(path, 'sessions', 'ff', 'stray');
    mkdirSync(orphan, { recursive: true });
    const file = join(orphan, 'transcript.jsonl');
    writeFileSync(file, 'left behind\n');
    for (const each of [file, orphan]) utimesSync(each, NOW / 1000 - 9e6, NOW / 1000 - 9e6);
    const plan = await home.plan();
    expect(removed(plan)).toEqual([['sessions/ff/stray', 'remove', 'orphan']]);
    appendFileSync(file, 'and more\n');
    expect(await home.apply(plan)).toMatchObject({ done: 0, skipped: 1 });
    expect(readFileSync(file, 'utf8')).toBe('left behind\nand more\n');
  });

  it('moves files without a session into the trash, and gives them back', async () => {
    await aSession('gone');
    const orphan = join(path, 'sessions', 'ff', 'stray');
    mkdirSync(orphan, { recursive: true });
    writeFileSync(join(orphan, 'transcript.jsonl'), 'left behind\n');
    for (const each of [join(orphan, 'transcript.jsonl'), orphan]) utimesSync(each, NOW / 1000 - 9e6, NOW / 1000 - 9e6);
    const plan = await home.plan();
    expect(removed(plan)).toEqual([['sessions/ff/stray', 'remove', 'orphan']]);
    const { run } = await home.apply(plan);
    expect(existsSync(orphan)).toBe(false);
    await home.undo(run.id);
    expect(readFileSync(join(orphan, 'transcript.jsonl'), 'utf8')).toBe('left behind\n');
  });
});

function hashTree(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hashes = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(root.length), createHash('sha256').update(readFileSync(path)).digest('hex')] as const;
  });
  return Object.fromEntries(hashes.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
