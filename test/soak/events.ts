import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../src/core/failure.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { seededRandom } from '../support/crash-content.js';
import type { Machine } from './machine.ts';

const CHILD = join(import.meta.dirname, '../support/soak-child.js');

/** What happens to a machine now and then, and how often in a month. */
const IN_A_MONTH = [
  [2, turnOff],
  [1, setBack],
  [1, setAhead],
  [2, killWriter],
  [2, killPass],
  [2, fillDisk],
] as const;
const MONTH_DAYS = 30;

export type Event = (machine: Machine) => Promise<void>;
export type Calendar = ReadonlyMap<number, readonly Event[]>;

/** What befalls a machine on which day: as much in every month as in another, on days that are drawn. */
export function calendar(
  days: number,
  { seed, canFill }: { readonly seed: number; readonly canFill: boolean },
): Calendar {
  const random = seededRandom(seed);
  const events = new Map<number, Event[]>();
  for (let first = 1; first <= days; first += MONTH_DAYS)
    for (const [times, event] of IN_A_MONTH) {
      if (event === fillDisk && !canFill) continue;
      for (let time = 0; time < times; time += 1) {
        const day = first + Math.floor(random() * MONTH_DAYS);
        events.set(day, [...(events.get(day) ?? []), event]);
      }
    }
  return events;
}

/** Nobody is there for days. */
export async function turnOff(machine: Machine): Promise<void> {
  await machine.restart();
  machine.clock.advance(machine.whole(1, 6) * DAY_MS);
}

/** The clock goes back a little. While it is in doubt nothing goes by its age. */
async function setBack(machine: Machine): Promise<void> {
  machine.clock.advance(-machine.whole(1, 3) * HOUR_MS);
  machine.doubtUntil = machine.now + 3 * DAY_MS;
}

/** The clock goes ahead, somebody works, and it is set right again. */
async function setAhead(machine: Machine): Promise<void> {
  const ahead = machine.whole(1, 48) * HOUR_MS;
  machine.clock.advance(ahead);
  const home = await machine.home();
  await home.sessions.create({ source: 'cli' }).then((session) => session.end('done'));
  machine.latestWorkAt = Math.max(machine.latestWorkAt, machine.now);
  machine.clock.advance(-ahead);
  machine.doubtUntil = machine.now + 3 * DAY_MS;
}

/** A process that appends is killed. What it was told is stored is stored. */
async function killWriter(machine: Machine): Promise<void> {
  const told = await killed(machine, 'append');
  const [id] = told.at(-1)?.split(' ') ?? [];
  if (id === undefined) return;
  const session = machine.know({ id, source: 'cli' });
  session.messages = told.length;
  session.digest = undefined;
}

/** A process that cuts the home back is killed. */
async function killPass(machine: Machine): Promise<void> {
  await killed(machine, 'maintain');
  machine.latestPassAt = Math.max(machine.latestPassAt, machine.now);
}

/** Starts a process on the home and kills it after some of its lines, which are returned. */
async function killed(machine: Machine, what: 'append' | 'maintain'): Promise<readonly string[]> {
  await machine.restart();
  const child = spawn(process.execPath, [CHILD, machine.path, String(machine.now), what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const enough = machine.whole(1, 20);
  child.stdout.on('data', (chunk: Buffer) => {
    lines.push(...chunk.toString().split('\n').filter(Boolean));
    if (lines.length >= enough) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return lines;
}

/** Somebody else fills the disk to the last byte. Whoever writes is told, and nothing is lost. */
async function fillDisk(machine: Machine): Promise<void> {
  const filler = join(machine.root, 'filler');
  fill(filler);
  try {
    const home = await machine.home();
    const session = await home.sessions.create({ source: 'api' });
    await session.append({ role: 'user', content: 'x'.repeat(100_000) });
    await session.end('done');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  } finally {
    rmSync(filler);
  }
}

function fill(path: string): void {
  for (const size of [2 ** 20, 2 ** 12]) {
    const block = Buffer.alloc(size);
    try {
      for (;;) writeFileSync(path, block, { flag: 'a' });
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error;
    }
  }
}
