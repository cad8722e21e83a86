import { join } from 'node:path';
import type { Plan, PlanRequest } from '../../src/core/retention/plan.ts';
import { manualClock } from './clock.ts';
import { type Baseline, takeBaseline } from './engine-checker.ts';
import { openEngineHome } from './engine-home.ts';
import {
  ARCHIVE_REQUEST,
  buildScene,
  clockOf,
  copyScene,
  FILES_REQUEST,
  RUN_AT,
  type Scenario,
} from './engine-scene.ts';

/** A scene at the point where a scenario begins, closed, to be copied for each try. */
export interface Stage {
  readonly scenario: Scenario;
  readonly directory: string;
  readonly start: string;
  readonly baseline: Baseline;
  /** What may be carried out, by whoever sets the stage and whoever acts. */
  readonly allowed: readonly Plan[];
  /** What recoveries on this stage have led to, and was found to be right. */
  readonly sound: Set<string>;
}

export async function setStage(directory: string, scenario: Scenario): Promise<Stage> {
  await buildScene(join(directory, 'built'));
  const start = join(directory, 'start');
  const path = copyScene(join(directory, 'built'), start);
  await using at = await openEngineHome(path, { clock: manualClock(RUN_AT) });
  const baseline = await takeBaseline(start, at);
  const requests: (PlanRequest | undefined)[] = [undefined, FILES_REQUEST, ARCHIVE_REQUEST];
  const allowed = await Promise.all(requests.map((request) => at.retention.plan(request)));
  await scenario.prepare?.(at);
  // Planned on a copy and at the time of the act: trash that expires by then is part of it.
  const later = copyScene(start, join(directory, 'later'));
  await using then = await openEngineHome(later, { clock: clockOf(scenario) });
  const planned = scenario.plan === undefined ? [] : [await scenario.plan(then)];
  return {
    scenario,
    directory,
    start,
    baseline,
    allowed: [...allowed, await then.retention.plan(), ...planned],
    sound: new Set(),
  };
}
