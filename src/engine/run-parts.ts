import type { HomeDriver } from '../core/retention/home-driver.ts';
import type { Journal } from '../core/retention/run.ts';

/** What every step of a run works with. */
export interface RunParts {
  readonly driver: HomeDriver;
  readonly journal: Journal;
}
