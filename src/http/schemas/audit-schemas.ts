import { z } from 'zod';
import { count, givenTime, pageAnswer, pageQuery, text, time } from './values.ts';

export const auditQuery = z.strictObject({
  since: givenTime.exactOptional(),
  who: text.exactOptional(),
  ...pageQuery,
  cursor: text.exactOptional(),
});

const auditRecordSchema = z
  .object({
    at: time,
    /** The name of a token, or the user of the machine who typed a command. */
    who: z.string(),
    via: z.enum(['token', 'command']),
    address: z.string().exactOptional(),
    /** A method and a route, or a command. */
    what: z.string(),
    subject: z.string().exactOptional(),
    run: z.string().exactOptional(),
    detail: z.string().exactOptional(),
    outcome: z.enum(['done', 'refused', 'failed']),
    status: z.int().exactOptional(),
    requestId: z.string().exactOptional(),
    count: count.exactOptional(),
  })
  .meta({ id: 'AuditRecord' });

export const auditListSchema = z.object({
  records: z.array(auditRecordSchema),
  ...pageAnswer,
  next: z.string().exactOptional(),
});
