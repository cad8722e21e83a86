import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type DiskLog, diskAfter, type PowerCut, powerCuts } from './disk-log.ts';
import { DiskRecorder } from './disk-recorder.ts';
import { writeFolder } from './engine-power.ts';

/** A state that a power cut may leave: the moment, which changes of files were lost, and how many of the newest commits. */
export interface HermesCut {
  readonly cut: PowerCut;
  readonly lost: readonly number[];
  readonly lostCommits: number;
}

/** Writes down what an act does to the disk of a Hermes home, whose database is synced only now and then. */
export async function recordHermes(home: string, act: () => Promise<unknown>): Promise<DiskLog> {
  using recorder = new DiskRecorder(home);
  const database = BetterSqlite3.prototype as unknown as { pragma: (...args: unknown[]) => unknown };
  const { pragma } = database;
  database.pragma = function (this: unknown, ...args) {
    const result = pragma.apply(this, args);
    if (String(args[0]).startsWith('wal_checkpoint')) recorder.settled();
    return result;
  };
  try {
    return await recorder.record(act);
  } finally {
    database.pragma = pragma;
  }
}

/** Every moment with nothing and with everything lost, and as many others at random. A log loses its newest commits first. */
export function hermesCuts(log: DiskLog, random: () => number): readonly HermesCut[] {
  return powerCuts(log).flatMap((cut) => {
    const loose = looseCommits(log, cut).length;
    const half = cut.loose.filter(() => random() < 0.5);
    return [
      { cut, lost: [], lostCommits: 0 },
      { cut, lost: cut.loose, lostCommits: loose },
      { cut, lost: cut.loose, lostCommits: 0 },
      { cut, lost: half, lostCommits: Math.floor(random() * (loose + 1)) },
    ];
  });
}

function looseCommits({ events }: DiskLog, { after }: PowerCut): readonly number[] {
  const past = events.slice(0, after);
  const settled = past.findLastIndex(({ kind }) => kind === 'settled');
  return past.flatMap(({ kind }, at) => (kind === 'commit' && at > settled ? at : []));
}

/** Makes the home that is found when the power is back. */
export function writeHermesCut(log: DiskLog, { cut, lost, lostCommits }: HermesCut, home: string): void {
  const { disk } = diskAfter(log, cut, new Set(lost));
  const loose = looseCommits(log, cut);
  const firstLost = loose[loose.length - lostCommits] ?? cut.after;
  const { database } = diskAfter(log, { ...cut, after: firstLost }, new Set());
  writeFolder(disk, disk.root, home);
  writeFileSync(join(home, 'state.db'), database);
}
