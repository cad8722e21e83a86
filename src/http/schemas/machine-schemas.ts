import { z } from 'zod';
import { anyJson, time } from './values.ts';

export const statusSchema = z.object({ status: z.literal('ok') });

export const readinessSchema = z.object({
  status: z.enum(['ok', 'failing']),
  checks: z.object({
    /** It has not been closed. */
    home: z.boolean(),
    /** A write of this moment, or of the last second, went well. */
    store: z.boolean(),
    /** Everything that runs by the clock went well lately. */
    chores: z.boolean(),
  }),
});

export const homeSchema = z.object({
  path: z.string(),
  /** Where its settings are, or would be. */
  configFile: z.string(),
  /** For how long what was removed can be given back. */
  trashGraceDays: z.number(),
  /** Absent when unattended maintenance is switched off. */
  nextMaintenanceAt: time.exactOptional(),
});

const configIssueSchema = z.object({ key: z.string(), where: z.string(), message: z.string() });

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
  /** Always empty: a daemon does not start while anything is wrong. */
  issues: z.array(configIssueSchema),
});

export const configCheckSchema = z.object({
  fileExists: z.boolean(),
  /** Empty when the daemon could be started with it. */
  issues: z.array(configIssueSchema),
});
