import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/index.ts';
import { manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { dieAtChange } from '../support/hermes-faults.ts';

/** A home in which a delete of two sessions died once their rows were on their way. */
async function deadHome(): Promise<{ path: string; said: string[]; open: () => Promise<Home> }> {
  const path = join(tempDirInMemory(), 'home');
  const clock = manualClock();
  const said: string[] = [];
  const open = () => openHome({ path, clock, tell: (sentence) => said.push(sentence) });
  await using home = await open();
  for (const id of ['one', 'two']) {
    const session = await home.sessions.create({ id, source: 'cli' });
    await session.append({ role: 'user', content: 'hello' });
    await session.end('done');
  }
  const plan = await home.plan({ kind: 'delete', ids: ['one', 'two'] });
  for (let number = 1; !isIntended(path); number += 1)
    await dieAtChange(number, () => home.apply(plan).catch(() => undefined));
  return { path, said, open };
}

function isIntended(path: string): boolean {
  const db = new BetterSqlite3(join(path, 'state.db'), { readonly: true });
  const count = db.prepare<[], number>(`SELECT count(*) FROM run_items WHERE state = 'intended'`).pluck().get() ?? 0;
  db.close();
  return count > 0;
}

async function states(home: Home): Promise<string[]> {
  const retention = await home.retention();
  const found: string[] = [];
  for await (const { id } of retention.runs()) for await (const { state } of retention.items(id)) found.push(state);
  return found;
}

const ids = async (home: Home) => (await collect(home.sessions.list())).map(({ id }) => id);

describe('a library that is asked something about a home in which a process died', () => {
  it.each([
    ['sessions', async (home: Home) => expect(await ids(home)).toEqual([])],
    ['runs', async (home: Home) => expect(await states(home)).toEqual(['trashed', 'trashed'])],
    ['the status', async (home: Home) => expect((await home.status()).classes[2]).toMatchObject({ items: 1 })],
    [
      'a plan',
      async (home: Home) => expect((await home.plan()).decisions.map(({ item }) => item.kind)).toEqual(['trash']),
    ],
    ['one session', async (home: Home) => expect(await home.sessions.search({ text: 'hello' })).toEqual([])],
  ])('finishes it before it tells of %s, and says so', async (_, ask) => {
    const { path, said, open } = await deadHome();
    await using home = await open();
    await ask(home);
    expect(isIntended(path)).toBe(false);
    expect(said).toEqual([
      expect.stringMatching(/^A command that was cut short is finished now: 2 items removed\. Undo it/),
    ]);
  });

  it('tells who is at work where another process has the lock, and waits for nobody', async () => {
    const { path, said, open } = await deadHome();
    const lock = new BetterSqlite3(join(path, 'lock.db'));
    lock.exec('BEGIN EXCLUSIVE');
    await using home = await open();
    expect((await home.status()).notes).toEqual([expect.stringContaining('Another process is changing')]);
    expect(await ids(home)).toHaveLength(2);
    expect(isIntended(path)).toBe(true);
    lock.close();
    expect(await ids(home)).toEqual([]);
    // The status says it itself, and nobody hears it twice.
    expect(said).toEqual([expect.stringContaining('is finished now')]);
  });

  it('tells why it cannot be finished, and what finishes it, where the place of the lock cannot be used', async () => {
    const { path, said, open } = await deadHome();
    rmSync(join(path, 'lock.db'), { force: true });
    mkdirSync(join(path, 'lock.db'));
    await using home = await open();
    await ids(home);
    await ids(home);
    expect(said).toEqual([
      expect.stringMatching(/is not finished yet\. .*lock\.db is not a file.*coppice doctor --repair$/),
    ]);
    await expect((await home.retention()).recover()).rejects.toThrow('is not a file');
  });
});
