import type { HomeDriver } from '../core/home-driver.ts';
import type { Journal } from '../core/run.ts';

/** What every step of a run works with. */
export interface RunParts {
  readonly driver: HomeDriver;
  readonly journal: Journal;
}
