import type { Home } from '../app/home.ts';
import type { Clock } from '../core/time.ts';

/** What the chores of a daemon work with. */
export interface DaemonParts {
  readonly home: Home;
  readonly clock: Clock;
  /** One line for the log. */
  readonly say: (line: string) => void;
}
