import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillUp, freeOn, randomWords } from '../support/full-disk.ts';
import { runOn, type Said } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';
import { RESERVE_TOLD } from '../support/reserve-told.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
const RUNGS = { nothing: 0, 'one block': 4096, '64 KB': 64 * 1024, '1 MB': 1024 * 1024 } as const;
const EACH = Object.entries(RUNGS).filter(([name]) => TORTURE || name === 'nothing');
const READING = [
  ['status'],
  ['sessions', 'list'],
  ['sessions', 'show', 'new1'],
  ['sessions', 'search', 'hello'],
  ['sessions', 'stats'],
  ['explain', 'old2'],
  ['runs', 'list'],
  ['trash', 'list'],
] as const;
const PRUNE = ['sessions', 'prune', '--older-than', '30d', '--yes'];
const EMPTY = ['trash', 'empty', '--all', '--yes'];

/** Sessions of Hermes with files that are much larger than their rows, some of them new. */
function buildHome(home: string): void {
  const ids = ['gone1', ...Array.from({ length: 10 }, (_, at) => `old${at}`), 'new1', 'new2'];
  const sessions = ids.map((id, at) => ({
    id,
    ...(id.startsWith('new') && { startedAt: HERMES_NOW - 2 * HERMES_DAY }),
    messages: [`hello ${id}`, randomWords(at, 10_000)],
  }));
  const files = ids.map((id, at) => [
    `sessions/request_dump_${id}_20260101_000000_000000.json`,
    `"${randomWords(at, id === 'gone1' ? 3_000_000 : 405_000)}"`,
  ]);
  buildHermesHome(home, { sessions, files: Object.fromEntries(files) });
}

async function done(home: string, args: readonly string[]): Promise<void> {
  const { code, err } = await runOn(home, args);
  expect({ args, code, err }).toEqual({ args, code: 0, err: expect.stringMatching(RESERVE_TOLD) as string });
}

function reserveOf(home: string): number {
  return statSync(join(home, '.coppice', 'ballast'), { throwIfNoEntry: false })?.size ?? 0;
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

async function read(home: string): Promise<readonly Said[]> {
  const said: Said[] = [];
  for (const args of READING) {
    const { out, ...rest } = await runOn(home, args);
    // While a command runs, its own database has a file more, where there is room for it.
    said.push({ ...rest, out: out.replace(/^(coppice|Log of the database) +\d.*\n/gm, '') });
  }
  return said;
}

describe.skipIf(!CAN_MOUNT)('a Hermes home on a full disk', () => {
  for (const reserve of [true, false]) {
    it.each(EACH)(
      `${reserve ? 'with' : 'without'} a reserve and %s free reads, removes and gets the space back`,
      async (_, left) => {
        const disk = smallDisk('80m');
        const home = join(disk, 'home');
        buildHome(home);
        if (!reserve) {
          mkdirSync(join(home, '.coppice'), { mode: 0o700 });
          writeFileSync(join(home, '.coppice', 'config.yaml'), 'disk:\n  ballast_mb: never\n', { mode: 0o600 });
        }
        await done(home, ['sessions', 'delete', 'gone1', '--yes']);
        expect(reserveOf(home) > 0).toBe(reserve);
        const wanted = await freedWithRoom(home);
        const before = await read(home);
        fillUp(disk, left);
        const had = left + reserveOf(home);
        expect(await read(home)).toEqual(before);

        const pruned = await runOn(home, PRUNE);
        if (pruned.code !== 0) {
          expect(reserve).toBe(false);
          expect(pruned.err).toContain('coppice trash empty --all');
          await done(home, EMPTY);
          await done(home, PRUNE);
        }
        await done(home, EMPTY);
        await done(home, ['maintain']);
        expect(freeOn(disk) + reserveOf(home) - had).toBeGreaterThan(0.95 * wanted);
        expect((await runOn(home, ['sessions', 'show', 'new1'])).out).toContain('hello new1');
        expect(await runOn(home, ['doctor'])).toMatchObject({ code: 0, err: '' });
        // Nothing waits in the trash any more, so nothing is kept for it.
        expect(reserveOf(home)).toBe(0);
      },
    );
  }

  it('that Coppice never changed is read, and says what a first change needs before it touches anything', async () => {
    const disk = smallDisk('80m');
    const home = join(disk, 'home');
    buildHome(home);
    const before = await read(home);
    fillUp(disk);
    expect(await read(home)).toEqual(before);
    const { code, err } = await runOn(home, PRUNE);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/2 MB are needed[^]*coppice status/) });
    expect(existsSync(join(home, '.coppice'))).toBe(false);
    expect(await read(home)).toEqual(before);
  });
});
