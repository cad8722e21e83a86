import { z } from 'zod';
import { anyJson, count, time } from './values.ts';

export const statusSchema = z.object({ status: z.literal('ok') });

const limit = z.union([count, z.literal('never')]);

export const homeSchema = z.object({
  path: z.string(),
  /** Where its settings are, or would be. */
  configFile: z.string(),
  /** For how long what was removed can be given back. */
  trashGraceDays: z.number(),
  /** From when on sessions without messages, or with only a few, may go. */
  gc: z.object({ emptyHours: limit, trivialDays: limit, trivialMax: count }),
  /** Absent when unattended maintenance is switched off. */
  nextMaintenanceAt: time.exactOptional(),
});

export const configSchema = z.object({
  /** The file as it stands; absent when there is none. */
  text: z.string().exactOptional(),
  /** Every value that the daemon goes by, and who set it. */
  settings: z.array(
    z.object({
      key: z.string(),
      value: anyJson,
      level: z.enum(['default', 'file', 'environment', 'flag']),
      where: z.string().exactOptional(),
    }),
  ),
});

export const configCheckSchema = z.object({
  fileExists: z.boolean(),
  /** Empty when the daemon could be started with it. */
  issues: z.array(z.object({ key: z.string(), where: z.string(), message: z.string() })),
});
