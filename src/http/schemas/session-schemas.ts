import { z } from 'zod';
import { VERDICT_KINDS } from '../../core/gateway/gateway.ts';
import { ROLES } from '../../core/sessions/message.ts';
import { CHILD_KINDS } from '../../core/sessions/session.ts';
import { forEachFilter } from '../../core/sessions/session-filters.ts';
import { SESSION_SORTS } from '../../core/stores/session-reader.ts';
import { MAX_BATCH } from '../../core/stores/session-writer.ts';
import { ofEachFact, ofEachKeptFact } from '../../core/sessions/word-facts.ts';
import { DAY_MS } from '../../core/time.ts';
import {
  anyJson,
  count,
  countedAnswer,
  countedQuery,
  flag,
  givenTime,
  jsonObject,
  jsonObjectOrNone,
  pageAnswer,
  pageQuery,
  pageSize,
  problemSchema,
  text,
  texts,
  time,
} from './values.ts';

export const usageSchema = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    reasoningTokens: count,
    costUsd: z.number(),
  })
  .meta({ id: 'Usage' });

/** Why only its agent may take it away. */
const sessionHoldSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('report-only') }),
  z.object({ kind: z.literal('through-owner'), command: z.string() }),
  z.object({ kind: z.literal('referenced'), by: z.string() }),
]);

export const sessionSchema = z
  .object({
    id: z.string(),
    source: z.string(),
    routeKey: z.string().exactOptional(),
    parentId: z.string().exactOptional(),
    childKind: z.enum(CHILD_KINDS).exactOptional(),
    title: z.string().exactOptional(),
    ...ofEachFact(() => z.string().exactOptional()),
    startedAt: time,
    lastActiveAt: time,
    endedAt: time.exactOptional(),
    endReason: z.string().exactOptional(),
    archivedAt: time.exactOptional(),
    pinned: z.boolean(),
    hold: sessionHoldSchema.exactOptional(),
    tags: z.array(z.string()),
    messageCount: count,
    outputCount: count.exactOptional(),
    toolCallCount: count,
    usage: usageSchema,
    contentBytes: count,
    transcriptBytes: count,
    dumpBytes: count,
    sizeBytes: count,
  })
  .meta({ id: 'Session' });

export const modelUsageSchema = usageSchema.extend({ model: z.string() });
export const usageByModelSchema = z.object({ usageByModel: z.array(modelUsageSchema) });
export const sessionDetailSchema = sessionSchema.extend(usageByModelSchema.shape).meta({ id: 'SessionDetail' });

export const sessionDetailQuery = z.strictObject({ exact: flag.exactOptional() });

export const fileListQuery = z.strictObject(countedQuery);
export const fileListSchema = z.object({
  files: z.array(z.object({ path: z.string(), sizeBytes: count })),
  ...countedAnswer,
});

export const sessionListSchema = z.object({
  sessions: z.array(sessionSchema),
  ...pageAnswer,
  /** Where the next page begins; absent on the last one. */
  next: z.string().exactOptional(),
});

const atLeastNone = z.coerce.number().min(0).exactOptional();

/** What narrows a list down. Refused where the home does not record what it asks about. */
export const sessionFilterQuery = forEachFilter({
  is: text.exactOptional(),
  contains: text.exactOptional(),
  within: text.exactOptional(),
  least: atLeastNone,
  most: atLeastNone,
  all: texts.exactOptional(),
  yes: flag.exactOptional(),
});

/** The ids that are to be shown; no more than fit into an address. */
export const shortIdsQuery = z.strictObject({ id: texts });
export const shortIdListSchema = z.object({ shortIds: z.array(z.object({ id: z.string(), shortId: z.string() })) });

export const sessionListQuery = z.strictObject({
  ...sessionFilterQuery,
  active: flag.exactOptional(),
  archived: flag.exactOptional(),
  since: givenTime.exactOptional(),
  before: givenTime.exactOptional(),
  sort: z.enum(SESSION_SORTS).exactOptional(),
  ...pageQuery,
  cursor: text.exactOptional(),
});

export const newSessionSchema = z.strictObject({
  id: text.exactOptional(),
  source: text,
  parentId: text.exactOptional(),
  childKind: z.enum(CHILD_KINDS).exactOptional(),
  title: text.exactOptional(),
  ...ofEachKeptFact(() => text.exactOptional()),
  tags: z.array(text).max(100).exactOptional(),
});

export const sessionChangeSchema = z.strictObject({
  title: text.exactOptional(),
  pinned: z.boolean().exactOptional(),
  addTags: z.array(text).max(100).exactOptional(),
  removeTags: z.array(text).max(100).exactOptional(),
});

export const endSchema = z.strictObject({ reason: text });

export const endCrashedSchema = z.strictObject({ reason: text.optional() });

export const crashedListSchema = z.object({
  sessions: z.array(z.object({ id: z.string(), pid: z.number(), host: z.string() })),
});

export const usageReportSchema = z.strictObject({
  model: text,
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  cacheReadTokens: count.exactOptional(),
  cacheWriteTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
  costUsd: z.number().min(0).exactOptional(),
});

const toolCall = z.strictObject({ id: z.string(), name: z.string(), arguments: anyJson });

const message = {
  role: z.enum(ROLES),
  content: z.union([z.string(), z.array(jsonObject)]),
  toolCalls: z.array(toolCall).exactOptional(),
  toolCallId: z.string().exactOptional(),
  name: z.string().exactOptional(),
  failed: z.boolean().exactOptional(),
  model: z.string().exactOptional(),
  metadata: jsonObjectOrNone.exactOptional(),
};

const messageSchema = z
  .object({ ...message, seq: z.int().min(1), at: time, rewound: z.literal(true).exactOptional() })
  .meta({ id: 'Message' });

export const messageListSchema = z.object({
  messages: z.array(messageSchema),
  ...pageAnswer,
  /** The number of the first message of the next page; absent on the last one. */
  next: z.int().exactOptional(),
});

export const messagesQuery = z.strictObject({
  from: z.coerce.number().int().min(1).exactOptional(),
  to: z.coerce.number().int().min(1).exactOptional(),
  last: z.coerce.number().int().min(1).exactOptional(),
  rewound: flag.exactOptional(),
  ...pageQuery,
});

export const newMessagesSchema = z.strictObject({
  messages: z
    .array(z.strictObject({ ...message, at: givenTime.exactOptional() }))
    .min(1)
    .max(MAX_BATCH),
  expectedSeq: count.exactOptional(),
});

/** A session as an import describes it; counts and sizes are found anew. */
export const importedSessionSchema = z.strictObject({
  ...newSessionSchema.shape,
  id: text,
  routeKey: text.exactOptional(),
  startedAt: givenTime,
  lastActiveAt: givenTime,
  endedAt: givenTime.exactOptional(),
  endReason: text.exactOptional(),
  pinned: z.boolean(),
  usageByModel: z.array(z.strictObject({ ...modelUsageSchema.shape, costUsd: z.number().min(0) })).max(1000),
});

export const importedFactsSchema = importedSessionSchema.omit({ id: true });

export const importedMessagesSchema = z.strictObject({
  messages: z
    .array(z.strictObject({ ...message, seq: z.int().min(1), at: givenTime, rewound: z.literal(true).exactOptional() }))
    .min(1)
    .max(MAX_BATCH),
});

export const importSchema = z.object({ id: z.string() });

/** What limits and budgets say, with words for the model. */
const verdictSchema = z
  .object({
    kind: z.enum(VERDICT_KINDS),
    causes: z.array(
      z.object({
        rule: z.string(),
        scope: z.string(),
        used: z.number(),
        limit: z.number(),
        /** The model whose price is not known. */
        model: z.string().exactOptional(),
        /** What calls under way have set aside, beside what is used. */
        reserved: z.number().exactOptional(),
        /** What the next call is expected to need. */
        needs: z.number().exactOptional(),
        tools: z.array(z.object({ name: z.string(), count: z.int() })).exactOptional(),
      }),
    ),
    say: z.string(),
  })
  .meta({ id: 'Verdict' });

export const usageAddedSchema = usageByModelSchema.extend({ verdict: verdictSchema.exactOptional() });

/** What happened since the last step, which is a day ago at most. */
export const nextStepSchema = z.strictObject({
  tools: z
    .array(z.strictObject({ name: text, ok: z.boolean(), args: anyJson.exactOptional() }))
    .max(MAX_BATCH)
    .exactOptional(),
  workedMs: z.int().min(0).max(DAY_MS).exactOptional(),
});
export const stepSchema = z.object({ verdict: verdictSchema });

export const receiptSchema = z.object({
  firstSeq: z.int(),
  lastSeq: z.int(),
  problems: z.array(problemSchema),
  verdict: verdictSchema.exactOptional(),
});

export const searchQuery = z.strictObject({
  q: z.string().min(1).max(1000),
  source: text.exactOptional(),
  since: givenTime.exactOptional(),
  limit: pageSize(200),
});

export const hitListSchema = z.object({
  sessions: z.array(
    sessionSchema.extend({
      match: z.enum(['words', 'part', 'title']),
      excerpt: z.object({ text: z.string(), marks: z.array(z.tuple([z.int(), z.int()])) }),
      message: z
        .object({ seq: z.int(), role: z.string(), at: time, rewound: z.literal(true).exactOptional() })
        .exactOptional(),
    }),
  ),
});
