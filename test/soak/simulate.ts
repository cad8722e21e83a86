import { DAY_MS } from '../../src/core/time.ts';
import { actsOfDay } from './actors.ts';
import type { Calendar } from './events.ts';
import { latchingPass } from './faults.ts';
import { Machine, type MachineOptions } from './machine.ts';
import { CHECKS, type CheckName, inspect, type Measured } from './oracle.ts';
import { askProgram, undoAndRedo } from './program-checks.ts';

export interface SimulationOptions extends MachineOptions {
  readonly days: number;
  /** What is complained about; all of it by default. */
  readonly checks?: readonly CheckName[];
  /** What befalls the machine, by day. */
  readonly events?: Calendar;
  /** It ends with the first complaint about this. */
  readonly until?: CheckName;
  /** The program itself is asked on every so many days: it reads the whole home for its answer. */
  readonly askEvery?: number;
}

export interface Complaint {
  readonly day: number;
  readonly check: CheckName;
  readonly sentence: string;
}

export interface Simulated {
  readonly complaints: readonly Complaint[];
  /** By day, as far as it went. */
  readonly days: readonly Measured[];
}

/** After so many it is clear that something is wrong, and more of the same says nothing. */
const MOST_COMPLAINTS = 12;
const MOST_OF_A_KIND = 3;

/** Lets a machine be used for so many days and looks at its home at the end of each. */
export async function simulate(options: SimulationOptions): Promise<Simulated> {
  const { checks = CHECKS, events = new Map(), askEvery = 1, until } = options;
  const machine = new Machine(options);
  const complaints: Complaint[] = [];
  const days: Measured[] = [];
  const isClear = () => complaints.length >= MOST_COMPLAINTS || complaints.some(({ check }) => check === until);
  for (let day = 1; day <= options.days && !isClear(); day += 1) {
    const complain = (check: CheckName, sentence: string) => {
      const before = complaints.filter((each) => each.check === check);
      // The same thing on another day is no news.
      const isNews = before.length < MOST_OF_A_KIND && before.every((each) => each.sentence !== sentence);
      if (checks.includes(check) && isNews) complaints.push({ day, check, sentence });
    };
    await liveADay(machine);
    for (const event of events.get(day) ?? []) await event(machine);
    await pass(machine);
    days.push(inspect(machine, complain));
    if (day % askEvery !== 0) continue;
    await askProgram(machine, complain);
    if (machine.chance(0.3)) await undoAndRedo(machine, complain);
  }
  await machine.restart();
  return { complaints, days };
}

async function liveADay(machine: Machine): Promise<void> {
  const ends = machine.now + DAY_MS;
  for (const { at, act } of actsOfDay(machine)) {
    machine.clock.set(at);
    await act();
  }
  machine.clock.set(ends);
  machine.latestWorkAt = Math.max(machine.latestWorkAt, ends);
  machine.endDay();
  if (machine.chance(0.3)) await machine.restart();
}

/** What a program that keeps the home open does by itself once a day. */
async function pass(machine: Machine): Promise<void> {
  const home = await machine.home();
  for (const key of await home.gateway.resetIdle()) {
    const session = machine.sessions.get(machine.routes.get(key) ?? '');
    if (session !== undefined) session.endedAt = machine.now;
  }
  if (machine.faults.includes('guard-latches')) await latchingPass(home);
  else {
    const report = await home.maintainInBackground();
    if (report.status === 'failed') throw new Error(report.error);
    if (report.status === 'not-due' || report.status === 'busy' || report.status === 'off') return;
  }
  machine.passes.push(machine.now);
  machine.latestPassAt = Math.max(machine.latestPassAt, machine.now);
}
