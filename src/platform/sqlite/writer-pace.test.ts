import { describe, expect, it } from 'vitest';
import type { MessageChunk } from '../../homes/hermes/database/record-tables.ts';
import { createPace, type Held } from './writer-pace.ts';

function chunks(count: number): MessageChunk[] {
  return Array.from({ length: count }, () => ({ firstId: 1n, lastId: 9n, count: 9, sizeBytes: 4000, digest: '' }));
}

/** How many chunks it has time for. */
function room(pace: ReturnType<typeof createPace>): number {
  let count = 0;
  while (pace.hasTimeFor(chunks(count + 1))) count += 1;
  return count;
}

function held(cpuMs: number): Held {
  return { ms: cpuMs, cpuMs };
}

describe('the pace of a writer', () => {
  it('takes less at once after steps that took long, and more after short ones', () => {
    const pace = createPace(() => 1);
    const first = room(pace);
    expect(first).toBeGreaterThan(1);
    for (let step = 0; step < 10; step += 1) pace.worked(held(90), chunks(3));
    const careful = room(pace);
    expect(careful).toBeLessThan(first);
    pace.worked(held(1), chunks(3));
    const next = room(pace);
    for (let step = 0; step < 30; step += 1) pace.worked(held(1), chunks(3));
    expect(next).toBeLessThan(first);
    expect(room(pace)).toBeGreaterThan(first);
  });

  it('never takes more than so much at once, however fast it went', () => {
    const pace = createPace(() => 1);
    for (let step = 0; step < 1000; step += 1) pace.worked(held(0), chunks(3));
    expect(room(pace) * 4000).toBeLessThan(300_000);
  });

  it('learns nothing from steps that hardly did anything', () => {
    const pace = createPace(() => 1);
    const before = room(pace);
    pace.worked(held(500), []);
    expect(room(pace)).toBe(before);
  });

  it('takes no less at once because the disk or the machine is slow', () => {
    const pace = createPace(() => 1);
    for (let step = 0; step < 10; step += 1) pace.worked(held(2), chunks(3));
    const before = room(pace);
    for (let step = 0; step < 10; step += 1) pace.worked({ ms: 200, cpuMs: 2 }, chunks(3));
    expect(room(pace)).toBeGreaterThanOrEqual(before);
  });
});
