import type { Home } from '../app/home.ts';
import type { Clock } from '../core/time.ts';

/** What the chores of a daemon work with. */
export interface DaemonParts {
  readonly home: Home;
  readonly clock: Clock;
  /** Where the other homes of this person are; none of them is looked after when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** One line for the log. */
  readonly say: (line: string) => void;
}
