import { z } from 'zod';
import { LEDGER_GROUPS } from '../../core/stores/ledger-book.ts';
import { modelUsageSchema, usageSchema } from './session-schemas.ts';
import { count, givenTime, pageAnswer, pageQuery, text, time } from './values.ts';

const filter = {
  source: text.exactOptional(),
  /** Last active at or after. */
  since: givenTime.exactOptional(),
  /** Last active before. */
  before: givenTime.exactOptional(),
};

export const ledgerQuery = z.strictObject({
  ...filter,
  ...pageQuery,
  /** `next` of the page before. */
  below: z.coerce.number().int().min(1).exactOptional(),
});

export const ledgerTotalsQuery = z.strictObject({ ...filter, by: z.enum(LEDGER_GROUPS).exactOptional() });

export const ledgerEntrySchema = z
  .object({
    /** Its place in the ledger: what went later has a higher one. */
    number: count,
    id: z.string(),
    source: z.string(),
    title: z.string().exactOptional(),
    workdir: z.string().exactOptional(),
    startedAt: time,
    lastActiveAt: time,
    endedAt: time.exactOptional(),
    endReason: z.string().exactOptional(),
    removedAt: time,
    messageCount: count,
    toolCallCount: count,
    usage: usageSchema,
    usageByModel: z.array(modelUsageSchema),
  })
  .meta({ id: 'LedgerEntry' });

export const ledgerListSchema = z.object({
  entries: z.array(ledgerEntrySchema),
  ...pageAnswer,
  /** Where the next page begins; absent on the last one. */
  next: count.exactOptional(),
});

const amount = { sessions: count, messages: count, usage: usageSchema };

export const ledgerTotalsSchema = z.object({
  by: z.enum(LEDGER_GROUPS),
  /** Days and months newest first; models and sources with the highest cost first. */
  totals: z.array(z.object({ key: z.string(), ...amount })),
  /** Each session once, also where it used several models, or none. */
  total: z.object(amount),
});
