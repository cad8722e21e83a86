import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import { CHILD_KINDS } from '../../core/sessions/session.ts';
import { ofEachKeptFact } from '../../core/sessions/word-facts.ts';

/** The facts on the session line of an export; undefined when some are missing or of the wrong kind. */
export function readSessionFacts(line: JsonObject): ImportedSession | undefined {
  return SESSION.safeParse(line).data;
}

const instant = z.string().transform((text, context) => {
  const at = readTime(text);
  if (at !== undefined) return at;
  context.addIssue('not a time');
  return z.NEVER;
});
const tokens = z.int().nonnegative();

/** Counts and sizes are on the line too; the store finds them anew. */
const SESSION = z.object({
  id: z.string(),
  source: z.string(),
  routeKey: z.string().exactOptional(),
  parentId: z.string().exactOptional(),
  childKind: z.enum(CHILD_KINDS).exactOptional(),
  title: z.string().exactOptional(),
  ...ofEachKeptFact(() => z.string().exactOptional()),
  startedAt: instant,
  lastActiveAt: instant,
  endedAt: instant.exactOptional(),
  endReason: z.string().exactOptional(),
  pinned: z.boolean(),
  tags: z.array(z.string()),
  usageByModel: z.array(
    z.object({
      model: z.string(),
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
      reasoningTokens: tokens,
      costUsd: z.number().nonnegative(),
    }),
  ),
});
