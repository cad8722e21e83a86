import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { GcOptions } from '../command-options.ts';
import { runByHand } from '../retention/run-by-hand.ts';

/** `coppice sessions gc`: sessions without messages and with only a few. What is not typed is as configured for each source. */
export function run(input: CommandInput<GcOptions>): Promise<number> {
  const { emptyHours, trivialDays, trivialMax, source } = input.options;
  return runByHand(input, () => ({
    kind: 'gc',
    filter: source === undefined ? {} : { source },
    ...(emptyHours !== undefined && { emptyMs: emptyHours * HOUR_MS }),
    ...(trivialDays !== undefined && { trivialMs: trivialDays * DAY_MS }),
    ...(trivialMax !== undefined && { trivialMaxMessages: trivialMax }),
  }));
}
