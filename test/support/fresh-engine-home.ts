import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { manualClock, NOW } from './clock.ts';
import { type EngineHome, openEngineHome } from './engine-home.ts';
import { tempDir } from './temp-dir.ts';

export interface FreshHome {
  readonly path: string;
  readonly clock: ReturnType<typeof manualClock>;
  readonly at: EngineHome;
}

/** A new home with a clock of its own for the test that asks, gone when the test is. */
export async function freshEngineHome(): Promise<FreshHome> {
  const path = join(tempDir(), 'home');
  const clock = manualClock(NOW);
  const at = await openEngineHome(path, { clock });
  onTestFinished(() => at[Symbol.asyncDispose]());
  return { path, clock, at };
}
