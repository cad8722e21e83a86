// How long work holds the write lock of a database, and what work costs the processor.
import Database from 'better-sqlite3';
import { format, timed } from './measure.js';

/** How long each transaction of this process held the write lock, on the clock and of processor time. */
export async function locks(work) {
  const real = Reflect.get(Database.prototype, 'exec');
  const spans = [];
  let begun;
  Database.prototype.exec = function (sql) {
    const result = real.call(this, sql);
    if (sql === 'BEGIN IMMEDIATE') begun = { at: performance.now(), cpu: process.cpuUsage() };
    if (sql === 'COMMIT') {
      const { user, system } = process.cpuUsage(begun.cpu);
      spans.push({ ms: performance.now() - begun.at, cpuMs: (user + system) / 1000 });
    }
    return result;
  };
  try {
    await work();
  } finally {
    Database.prototype.exec = real;
  }
  return spans;
}

/** The most processor time for which a lock was held. */
export function worst(spans) {
  return Math.max(...spans.map(({ cpuMs }) => cpuMs));
}

/** What a clock on the wall says about locks. */
export function clock(spans) {
  const sorted = spans.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)];
  return `on the clock p99 ${format(p99)} ms, at most ${format(sorted.at(-1))} ms of ${sorted.length}`;
}

export async function measured(work) {
  const before = process.cpuUsage();
  const ms = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000 };
}
