import type { App } from '../../app/app.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { GcOptions } from '../command-options.ts';
import { runByHand } from '../retention/run-by-hand.ts';

/** `coppice sessions gc`: sessions without messages and with only a few. What is not typed is as configured. */
export function run(input: CommandInput<GcOptions>): Promise<number> {
  const { emptyHours, trivialDays, trivialMax, source } = input.options;
  return runByHand(input, (home) => {
    const rules = home.config.sessions;
    return {
      kind: 'gc',
      filter: source === undefined ? {} : { source },
      emptyMs: amount(emptyHours ?? rules.empty_hours) * HOUR_MS,
      trivialMs: amount(trivialDays ?? rules.trivial_days) * DAY_MS,
      trivialMaxMessages: trivialMax ?? rules.trivial_max,
    };
  });
}

/** A limit of zero is a rule that is off. */
function amount(limit: App['config']['sessions']['empty_hours']): number {
  return limit === 'never' ? 0 : limit;
}
