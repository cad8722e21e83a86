import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coppice } from '../e2e/run-coppice.ts';
import { TORTURE } from '../support/campaign.ts';
import { CALLS, countCalls } from '../support/engine-kill.ts';
import { runEngineWorker } from '../support/engine-run-worker.ts';
import { clockOf, copyScene, SCENARIOS } from '../support/engine-scene.ts';
import { setStage } from '../support/engine-stage.ts';
import { runWriter } from '../support/run-writer.ts';
import { STRACE_WORKS, strace } from '../support/strace.ts';

interface Doctor {
  readonly healthy: boolean;
  readonly checks: readonly { readonly problems: readonly { readonly kind: string; readonly message: string }[] }[];
}

/** What the built program says of a home, and what it exits with. */
async function examine(home: string) {
  const { code, stdout } = await coppice(home, ['doctor', '--json']);
  const { healthy, checks } = JSON.parse(stdout) as Doctor;
  return { code, healthy, problems: checks.flatMap(({ problems }) => problems) };
}

async function inScratch(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'coppice-killed-'));
  try {
    await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const ACTS = new Set(['apply the rules', 'undo the rules', 'empty the trash', 'apply an archive', 'undo an archive']);
const HEALTHY = { code: 0, healthy: true };

describe.skipIf(!STRACE_WORKS)('coppice doctor after a kill', () => {
  it(
    'finds nothing that a person must look at, wherever a writer died, and nothing at all after the next message',
    () =>
      inScratch(async (directory) => {
        const seen = new Set<string>();
        for (const [index, when] of [2, 9, 11, 13, 15, 17, 30, 31, 32, 33].entries()) {
          const home = mkdtempSync(join(directory, 'home-'));
          await runWriter({ root: home, seed: index, steps: 4 });
          const under = strace({ calls: ['pwrite64'], inject: `pwrite64:signal=SIGKILL:when=${when}` });
          const { signal } = await runWriter({ root: home, seed: index + 100, steps: 500, under });
          expect(signal).toBe('SIGKILL');
          const { problems, ...verdict } = await examine(home);
          expect({ when, problems, ...verdict }).toMatchObject(HEALTHY);
          for (const { kind, message } of problems) {
            seen.add(kind);
            if (kind === 'transcript-ahead') expect(message).toMatch(/The next message puts it right\.$/);
          }
          // Both sessions are written to again.
          await runWriter({ root: home, seed: index + 200, steps: 12 });
          const kinds = (await examine(home)).problems.map(({ kind }) => kind);
          expect(kinds.filter((kind) => kind.startsWith('transcript'))).toEqual([]);
        }
        // A harness that never hits the moment between file and commit proves nothing.
        expect(seen).toContain('transcript-ahead');
      }),
    300_000,
  );

  it.each(SCENARIOS.filter(({ name }) => ACTS.has(name)))(
    'finds nothing that a person must look at, wherever a run died, in: $name',
    (scenario) =>
      inScratch(async (directory) => {
        const stage = await setStage(directory, scenario);
        const counts = await countCalls(stage);
        let killed = 0;
        for (const call of CALLS.filter((name) => ['rename', 'unlink', 'pwrite64'].includes(name))) {
          const count = counts.get(call) ?? 0;
          for (const part of TORTURE ? [0.3, 0.6, 0.9] : [0.6]) {
            const home = copyScene(stage.start, mkdtempSync(join(directory, 'scene-')));
            const under = strace({ calls: [call], inject: `${call}:signal=SIGKILL:when=${Math.ceil(count * part)}` });
            const now = clockOf(scenario).now();
            const { signal } = await runEngineWorker({ home, act: scenario.name, now, under });
            if (signal === 'SIGKILL') killed += 1;
            const { problems, ...verdict } = await examine(home);
            expect({ call, part, problems, ...verdict }).toMatchObject(HEALTHY);
          }
        }
        // A harness that kills nothing proves nothing.
        expect(killed).toBeGreaterThan(TORTURE ? 2 : 0);
      }),
    300_000,
  );
});
