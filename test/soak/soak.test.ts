import { describe, expect, it } from 'vitest';
import { SEED, TORTURE } from '../support/campaign.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';
import { calendar, turnOff } from './events.ts';
import type { FaultName } from './faults.ts';
import type { Settings } from './machine.ts';
import type { CheckName } from './oracle.ts';
import { simulate } from './simulate.ts';

const MEGABYTE = 1024 * 1024;
const YEARS_3 = 3 * 365;

/** Short times, so that a month shows what comes to rest. */
const SHORT: Settings = {
  abandonDays: 1,
  retentionDays: 5,
  noticeDays: 3,
  graceDays: 2,
  intervalDays: 1,
  minAgeHours: 24,
  trivialDays: 3,
  checkpointBytes: 3 * MEGABYTE,
  reserveBytes: 8 * MEGABYTE,
};

/** What a home has that nobody configured. */
const USUAL: Settings = {
  ...SHORT,
  retentionDays: 90,
  graceDays: 7,
  trivialDays: 7,
  checkpointBytes: 20 * MEGABYTE,
  reserveBytes: 32 * MEGABYTE,
};

/** A disk of its own, which may be filled, where one can be had. */
const room = (megabytes: number) => (CAN_MOUNT ? smallDisk(`${megabytes}m`) : tempDir());

/** A machine that everything befalls. */
function troubled(days: number, settings: Settings) {
  const events = calendar(days, { seed: SEED, canFill: CAN_MOUNT });
  return { root: room(settings.retentionDays > 30 ? 1024 : 192), seed: SEED, days, settings, events };
}

describe('a machine that nobody looks at', () => {
  it('keeps within its bound for a month, and keeps what is held', { timeout: 300_000 }, async () => {
    const { complaints } = await simulate(troubled(30, SHORT));
    expect(complaints).toEqual([]);
  });

  it('keeps within a limit for the whole home, where it may remove for good', { timeout: 300_000 }, async () => {
    const settings = { ...SHORT, retentionDays: 30, capBytes: 16 * MEGABYTE };
    const { complaints } = await simulate(troubled(TORTURE ? 60 : 16, settings));
    expect(complaints).toEqual([]);
  });

  it.runIf(TORTURE)('keeps within its bound for three years', { timeout: 4 * 3_600_000 }, async () => {
    const { complaints } = await simulate({ ...troubled(YEARS_3, USUAL), askEvery: 7 });
    expect(complaints, `COPPICE_SEED=${SEED}`).toEqual([]);
  });
});

describe('a simulation with a planted bug', () => {
  const planted: readonly (readonly [FaultName, CheckName, string, Partial<Settings>])[] = [
    ['guard-latches', 'backlog', 'passes could have removed them', {}],
    ['trash-stays', 'trash-owner', 'in the trash although their time is over', {}],
    ['routes-forgotten', 'held', 'although it is answering a route', {}],
    // Nothing goes by its age meanwhile, or there would be little garbage to count.
    ['garbage-uncounted', 'checkpoint-bound', 'checkpoints take', { retentionDays: 30, checkpointBytes: MEGABYTE }],
  ];
  it.each(planted)('finds it: %s', { timeout: 300_000 }, async (fault, check, sentence, other) => {
    const { settings, ...machine } = ordinary();
    const faulty = { ...machine, settings: { ...settings, ...other }, faults: [fault] };
    const { complaints } = await simulate({ ...faulty, checks: [check], until: check });
    expect(complaints[0]).toMatchObject({ check, sentence: expect.stringContaining(sentence) });
  });

  it('finds nothing where none was planted', { timeout: 300_000 }, async () => {
    const checks = planted.map(([, check]) => check);
    expect((await simulate({ ...ordinary(), days: 16, checks })).complaints).toEqual([]);
  });
});

/** A machine with short times that was off once. */
function ordinary() {
  return {
    root: room(192),
    seed: SEED,
    days: 30,
    settings: { ...SHORT, retentionDays: 2, graceDays: 1, trivialDays: 2 },
    cronRuns: 48,
    events: new Map([[4, [turnOff]]]),
    askEvery: Number.POSITIVE_INFINITY,
  };
}
