import { z } from 'zod';
import { USAGE_GROUPS } from '../../core/stores/usage-book.ts';
import { usageSchema } from './session-schemas.ts';
import { count, givenTime, problemSchema } from './values.ts';

export const usageTotalsQuery = z.strictObject({
  by: z.enum(USAGE_GROUPS).exactOptional(),
  /** From the day in which this is. */
  since: givenTime.exactOptional(),
  /** Before the day in which this is. */
  before: givenTime.exactOptional(),
  /** All homes of the person whose daemon it is, which is the default, or this one. */
  homes: z.enum(['all', 'this']).exactOptional(),
});

const amount = {
  sessions: count,
  usage: usageSchema,
  /** Tokens of models whose price is not known. They cost nothing here. */
  unpricedTokens: count,
};

export const usageTotalsSchema = z.object({
  by: z.enum(USAGE_GROUPS),
  /** In which days begin at midnight. */
  timeZone: z.string(),
  /** Days, weeks and months newest first; all else with the highest cost first. */
  totals: z.array(z.object({ key: z.string(), agent: z.string().exactOptional(), ...amount })),
  total: z.object(amount),
  /** With most tokens first. */
  unpricedModels: z.array(z.object({ model: z.string(), tokens: count })),
  /** What could not be read or kept: the figures lack it. */
  problems: z.array(problemSchema),
});
