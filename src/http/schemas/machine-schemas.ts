import { z } from 'zod';
import { time } from './values.ts';

export const statusSchema = z.object({ status: z.literal('ok') });

export const homeSchema = z.object({
  /** For how long what was removed can be given back. */
  trashGraceDays: z.number(),
  /** Absent when unattended maintenance is switched off. */
  nextMaintenanceAt: time.exactOptional(),
});
