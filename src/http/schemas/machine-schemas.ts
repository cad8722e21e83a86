import { z } from 'zod';
import { count, time } from './values.ts';

export const statusSchema = z.object({ status: z.literal('ok') });

const limit = z.union([count, z.literal('never')]);

export const homeSchema = z.object({
  path: z.string(),
  /** For how long what was removed can be given back. */
  trashGraceDays: z.number(),
  /** From when on sessions without messages, or with only a few, may go. */
  gc: z.object({ emptyHours: limit, trivialDays: limit, trivialMax: count }),
  /** Absent when unattended maintenance is switched off. */
  nextMaintenanceAt: time.exactOptional(),
});
