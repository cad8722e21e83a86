import { cpSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { main } from '../../src/cli/main.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { DirectoryHandle } from '../../src/platform/files/directory-handle.ts';
import { giveUpTrash } from '../../src/platform/leftovers/run-manifest.ts';
import { captureIo, NOW } from '../capture-io.ts';
import { manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { fillUp, freeOn, randomWords } from '../support/full-disk.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
const RUNGS = { nothing: 0, 'one block': 4096, '64 KB': 64 * 1024, '1 MB': 1024 * 1024 } as const;
const EACH = Object.entries(RUNGS).filter(([name]) => TORTURE || name === 'nothing');
const READING = [
  ['status'],
  ['sessions', 'list'],
  ['sessions', 'list', '--json'],
  ['sessions', 'show', 'new1'],
  ['sessions', 'search', 'abc'],
  ['plan', '--json'],
  ['explain', 'old2'],
  ['runs', 'list'],
  ['trash', 'list'],
  ['checkpoints', 'status'],
  ['budget'],
] as const;

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command line as a person types it, at `NOW`. */
async function run(home: string, args: readonly string[]): Promise<Said> {
  const { io, out, err } = captureIo({ env: {} });
  const code = await main(['--home', home, ...args], io);
  return { code, out: out(), err: err() };
}

async function done(home: string, args: readonly string[]): Promise<void> {
  const { code, err } = await run(home, args);
  expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
}

const PRUNE = ['sessions', 'prune', '--older-than', '30d', '--yes'];
const EMPTY = ['trash', 'empty', '--all', '--yes'];

/** Old sessions that rules let go of, new ones that stay, and two that wait in the trash already. */
async function buildHome(home: string, { reserve }: { readonly reserve: boolean }): Promise<void> {
  const clock = manualClock(NOW - 100 * DAY_MS);
  const settings = reserve ? [] : [{ key: 'disk.ballast_mb', value: 'never' }];
  await using open = await openHome({ path: home, env: {}, clock, settings });
  if (!reserve) writeFileSync(join(home, 'config.yaml'), 'disk:\n  ballast_mb: never\n');
  const add = async (id: string, seed: number) => {
    const session = await open.sessions.create({ id, source: 'cli' });
    for (let part = 0; part < 4; part += 1)
      await session.append({ role: 'user', content: randomWords(seed * 10 + part, 20_000) });
    await session.end('done');
  };
  // Makes the books of what live sessions use, which a first look at a budget would make else.
  await open.gateway.spend('day');
  for (const [at, id] of ['gone1', 'gone2'].entries()) await add(id, 100 + at);
  for (let at = 0; at < 16; at += 1) await add(`old${at}`, at);
  clock.advance(99 * DAY_MS);
  for (let at = 0; at < 4; at += 1) await add(`new${at}`, 50 + at);
  await open.apply(await open.plan({ kind: 'delete', ids: ['gone1', 'gone2'] }));
}

function reserveOf(home: string): number {
  return statSync(join(home, 'ballast'), { throwIfNoEntry: false })?.size ?? 0;
}

/** What a disk with room has more after the same commands. */
async function freedWithRoom(home: string): Promise<number> {
  const disk = smallDisk('200m');
  const copy = join(disk, 'home');
  cpSync(home, copy, { recursive: true });
  const had = freeOn(disk) + reserveOf(copy);
  for (const args of [PRUNE, EMPTY, ['maintain']]) await done(copy, args);
  return freeOn(disk) + reserveOf(copy) - had;
}

async function messages(home: string, id: string): Promise<readonly unknown[]> {
  await using open = await openHome({ path: home, env: {} });
  return collect((await open.sessions.open(id)).messages());
}

describe.skipIf(!CAN_MOUNT)('a native home on a full disk', () => {
  for (const reserve of [true, false]) {
    it.each(EACH)(
      `${reserve ? 'with' : 'without'} a reserve and %s free reads, removes and gets the space back`,
      async (_, left) => {
        const disk = smallDisk('80m');
        const home = join(disk, 'home');
        await buildHome(home, { reserve });
        expect(reserveOf(home) > 0).toBe(reserve);
        const wanted = await freedWithRoom(home);
        const kept = await messages(home, 'new1');
        // A plan that is kept is a file more, which the status counts.
        await run(home, ['plan']);
        const before: Said[] = [];
        for (const args of READING) before.push(await run(home, args));
        fillUp(disk, left);
        expect(freeOn(disk)).toBe(left);
        const had = left + reserveOf(home);

        for (const [at, args] of READING.entries())
          expect({ args, ...(await run(home, args)) }).toEqual({ args, ...before[at] });
        expect(await run(home, ['doctor'])).toMatchObject({ code: 0, err: '' });
        const pruned = await run(home, PRUNE);
        if (pruned.code !== 0) {
          // Not one page could be written: what it says works.
          expect([reserve, left < RUNGS['1 MB']]).toEqual([false, true]);
          expect(pruned.err).toContain('coppice trash empty --all');
          await done(home, EMPTY);
          await done(home, PRUNE);
        }
        await done(home, EMPTY);
        expect((await run(home, EMPTY)).out).toBe('There is nothing to empty.\n');
        await done(home, ['maintain']);
        expect(freeOn(disk) + reserveOf(home) - had).toBeGreaterThan(0.95 * wanted);
        expect(await messages(home, 'new1')).toEqual(kept);
        expect((await run(home, ['sessions', 'list', '--json'])).out).toContain('"new3"');
        const { out, code } = await run(home, ['doctor']);
        expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('in order') });
      },
    );
  }
});

describe.skipIf(!CAN_MOUNT)('a run that was given up before that could be written down', () => {
  it('is ended by the next change, and cannot be undone any more', async () => {
    const home = join(smallDisk('80m'), 'home');
    await buildHome(home, { reserve: false });
    const { items } = JSON.parse((await run(home, ['trash', 'list', '--json'])).out) as { items: { run: string }[] };
    const runId = items[0]?.run ?? '';
    const trash = join(home, 'trash', runId);
    // As a crash leaves it: the name says that all of it goes, and only a part has gone.
    using opened = DirectoryHandle.open(trash);
    expect(giveUpTrash(opened)).toBe(true);
    rmSync(join(trash, '1'), { recursive: true });
    // What was begun is ended before the undo looks for something to give back, and then there is nothing.
    const undone = await run(home, ['undo', runId, '--yes']);
    expect(undone).toMatchObject({ code: 10, out: '' });
    expect(undone.err).toContain(`Run ${runId} has nothing left to give back.`);
    expect(existsSync(trash)).toBe(false);
    expect((await run(home, ['trash', 'list'])).out).toBe('The trash is empty.\n');
    expect((await run(home, ['sessions', 'show', 'gone1'])).code).toBe(10);
    expect((await run(home, ['doctor'])).code).toBe(0);
  });
});

describe.skipIf(!CAN_MOUNT)('120 sessions of 70 KB of random words on a full disk', () => {
  it('are removed, emptied and given back, whatever their index takes', async () => {
    const disk = smallDisk('224m');
    const home = join(disk, 'home');
    const clock = manualClock(NOW - 100 * DAY_MS);
    {
      await using open = await openHome({ path: home, env: {}, clock });
      for (let at = 0; at < 120; at += 1) {
        const session = await open.sessions.create({ id: `s${at}`, source: 'cli' });
        await session.append({ role: 'user', content: randomWords(at, 70_000) });
        await session.end('done');
      }
      await (await open.retention()).settle();
    }
    const had = statSync(join(home, 'state.db')).size;
    expect(had).toBeGreaterThan(25_000_000);
    const reserved = reserveOf(home);
    expect(reserved).toBe(4 * 1024 * 1024);
    fillUp(disk);
    await done(home, PRUNE);
    await done(home, EMPTY);
    await done(home, ['maintain']);
    expect((await run(home, EMPTY)).out).toBe('There is nothing to empty.\n');
    // The database and the transcripts: all of it but the journal.
    expect(freeOn(disk) + reserveOf(home) - reserved).toBeGreaterThan(0.95 * (had + 120 * 70_000));
    expect((await run(home, ['doctor'])).code).toBe(0);
  });
});
