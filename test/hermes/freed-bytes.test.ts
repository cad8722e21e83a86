import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { randomWords } from '../support/full-disk.ts';
import { jsonOn } from '../support/hermes-cli.ts';
import { buildHermesHome } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';

let home: string;
eachHermesScene((scene) => ({ home } = scene));

function usage(): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', home], { encoding: 'utf8' }).split('\t', 1)[0]);
}

/** What a command says that the disk has more, and what it has more. */
async function freedBy(...args: readonly string[]): Promise<{ readonly told: number; readonly real: number }> {
  const before = usage();
  const { freedBytes } = await jsonOn<{ freedBytes: number }>(home, [
    ...args,
    '--yes',
    '--set',
    'disk.ballast_mb=never',
  ]);
  return { told: freedBytes, real: before - usage() };
}

/** Books and locks that are made on the way. */
const BESIDE = 60_000;

it('says what the disk has more as du does: nothing while rows wait in the trash, and all of it once that is emptied', async () => {
  const words = (at: number) => Array.from({ length: 10 }, (_, part) => randomWords(at * 100 + part, 2000));
  const files = ['snapshot', 'transcript', 'dump'] as const;
  const sessions = Array.from({ length: 16 }, (_, at) => ({ id: `s${at}`, messages: words(at), files }));
  buildHermesHome(home, { sessions });
  // The books that Coppice keeps beside the home are made by the first change.
  await freedBy('sessions', 'delete', 's0');

  const removed = await freedBy('sessions', 'delete', ...sessions.slice(1).map(({ id }) => id));
  expect(Math.abs(removed.told - Math.max(0, removed.real))).toBeLessThan(BESIDE);
  const emptied = await freedBy('trash', 'empty', '--all');
  expect(emptied.real).toBeGreaterThan(300_000);
  expect(Math.abs(emptied.told - emptied.real)).toBeLessThan(BESIDE);
});
