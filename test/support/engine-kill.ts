import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runEngineWorker, type WorkerEnd } from './engine-run-worker.ts';
import { clockOf, copyScene } from './engine-scene.ts';
import type { Stage } from './engine-stage.ts';
import { recoverAndCheck } from './recover-and-check.ts';
import { strace } from './strace.ts';

/** Every system call by which the engine and SQLite change a disk. */
export const CALLS = ['rename', 'mkdir', 'unlink', 'rmdir', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate'];

/** What `strace` is to do at one call of an act. */
export interface Injection {
  readonly call: string;
  readonly when: number;
  /** `signal=SIGKILL` or `error=EIO`. */
  readonly what: string;
}

/** How often the act makes each call on its main thread. */
export async function countCalls(stage: Stage): Promise<ReadonlyMap<string, number>> {
  return inCopy(stage, async (home) => {
    const log = join(stage.directory, 'calls.log');
    const { code, stderr, said } = await act(stage, home, strace({ calls: CALLS, log }));
    expect({ code, stderr, failed: said?.failed }).toEqual({ code: 0, stderr: '', failed: undefined });
    const lines = readFileSync(log, 'utf8').split('\n');
    const main = lines[0]?.split(' ', 1)[0];
    const names = lines
      .filter((line) => line.startsWith(`${main} `))
      .map((line) => /^\d+ +(\w+)\(/.exec(line)?.[1] ?? '');
    return new Map(CALLS.map((call) => [call, names.filter((name) => name === call).length]));
  });
}

/** Carries out the act with something done to it, and after it to the next process, then checks what is left. */
export async function injectInto(stage: Stage, injections: readonly Injection[]) {
  return inCopy(stage, async (home, scene) => {
    const ends: WorkerEnd[] = [];
    for (const [index, { call, when, what }] of injections.entries()) {
      const under = strace({ calls: [call], inject: `${call}:${what}:when=${when}` });
      ends.push(await act(stage, home, under, index === 0 ? undefined : 'recover'));
    }
    const { baseline, scenario, allowed, sound } = stage;
    const wrong = await recoverAndCheck(scene, { baseline, plans: allowed, clock: clockOf(scenario) }, sound);
    return { wrong, ends };
  });
}

function act({ scenario }: Stage, home: string, under: readonly string[], name = scenario.name): Promise<WorkerEnd> {
  return runEngineWorker({ home, act: name, now: clockOf(scenario).now(), under });
}

async function inCopy<T>(stage: Stage, work: (home: string, scene: string) => Promise<T>): Promise<T> {
  const scene = mkdtempSync(join(stage.directory, 'scene-'));
  try {
    return await work(copyScene(stage.start, scene), scene);
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
}

/** Two at a time, one for each core of a small machine. */
export async function inTwoLanes<T>(work: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  await Promise.all(
    [0, 1].map(async (lane) => {
      for (const one of work.filter((_, index) => index % 2 === lane)) await each(one);
    }),
  );
}
