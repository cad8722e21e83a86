import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { createCrashChecker, type WriterEvent } from '../support/crash-checker.ts';
import { runWriter } from '../support/run-writer.ts';
import { STRACE_WORKS, strace } from '../support/strace.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
const CALLS = ['pwrite64', 'fsync', 'openat'];
const POINTS_PER_CALL = TORTURE ? Number.POSITIVE_INFINITY : 12;
const STEPS = 25;

describe.skipIf(!STRACE_WORKS)('a writer that is killed at a system call', () => {
  it.each(CALLS)(
    'loses nothing that it acknowledged, at %s',
    async (call) => {
      const count = await countCalls(call);
      expect(count).toBeGreaterThan(0);
      const points = spread(count, POINTS_PER_CALL);
      const reached: number[] = [];
      // Two at a time, one for each core of a small machine.
      await Promise.all(
        [0, 1].map(async (lane) => {
          for (const point of points.filter((_, index) => index % 2 === lane))
            if (await killTwice(call, point)) reached.push(point);
        }),
      );
      // The writer never pauses, so each run makes the same calls: what it puts off is made up for when it closes its home.
      expect(reached.toSorted((a, b) => a - b)).toEqual(points);
    },
    3_600_000,
  );
});

/** How often a whole run makes this call on a file of its home. */
async function countCalls(call: string): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'coppice-count-'));
  try {
    const log = join(root, 'strace.log');
    const { code, stderr } = await runWriter({
      root,
      seed: 1,
      steps: STEPS,
      under: strace({ calls: [call], paths: filesOf(root), log }),
    });
    expect(code, stderr).toBe(0);
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`${call}(`)).length;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Kills a writer at the point, and the next one while it mends the transcript, if it must. True if the first died. */
async function killTwice(call: string, point: number): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), 'coppice-point-'));
  const layout = nativeLayout(root);
  try {
    const first = await killAt(root, { files: filesOf(root), call, when: point, seed: 1 });
    const transcripts = [layout.transcript('one'), layout.transcript('two')];
    const second = await killAt(root, { files: transcripts, call: 'ftruncate', when: 1, seed: 2 });
    // Each run counts its operations from 0.
    const events = [
      ...first.events,
      ...second.events.map((event) => Object.assign(event, { number: event.number + 1e6 })),
    ];
    expect(await createCrashChecker(root).check(events), `${call} number ${point}`).toEqual([]);
    return first.killed;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface KillPoint {
  readonly files: readonly string[];
  readonly call: string;
  readonly when: number;
  readonly seed: number;
}

async function killAt(
  root: string,
  { files, call, when, seed }: KillPoint,
): Promise<{ events: readonly WriterEvent[]; killed: boolean }> {
  const under = strace({ calls: [call], paths: files, inject: `${call}:signal=SIGKILL:when=${when}` });
  const { events, signal, code, stderr } = await runWriter({ root, seed, steps: STEPS, under });
  if (signal !== 'SIGKILL') expect(code, `${call} ${when}: ${stderr}`).toBe(0);
  return { events, killed: signal === 'SIGKILL' };
}

function filesOf(root: string): string[] {
  const layout = nativeLayout(root);
  const database = ['', '-wal', '-shm'].map((suffix) => `${layout.database}${suffix}`);
  return [...database, layout.transcript('one'), layout.transcript('two')];
}

/** At most so many of the numbers 1 to count, evenly spread, both ends included. */
function spread(count: number, limit: number): number[] {
  if (count <= limit) return Array.from({ length: count }, (_, index) => index + 1);
  return Array.from({ length: limit }, (_, index) => 1 + Math.round((index * (count - 1)) / (limit - 1)));
}
