import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, moneyOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { UsagePiece } from '../../core/sessions/transcript-format.ts';

/** What an answer took. A fork gives messages new ids and keeps their moments, so these tell the call. What was thought is not in the output. */
export function usageOf(info: JsonObject): UsagePiece | undefined {
  const tokens = objectOf(info['tokens']);
  if (tokens === undefined || info['role'] !== 'assistant') return undefined;
  const time = objectOf(info['time']);
  const at = readTime(time?.['created'] ?? null);
  const cache = objectOf(tokens['cache']);
  const reasoningTokens = countOf(tokens['reasoning']);
  return {
    kind: 'usage',
    call: `opencode@${countOf(time?.['created'])}-${countOf(time?.['completed'])}`,
    ...(at !== undefined && { at }),
    report: {
      model: textOf(info['modelID']) ?? 'unknown',
      inputTokens: countOf(tokens['input']),
      outputTokens: countOf(tokens['output']) + reasoningTokens,
      cacheReadTokens: countOf(cache?.['read']),
      cacheWriteTokens: countOf(cache?.['write']),
      reasoningTokens,
      costUsd: moneyOf(info['cost']),
    },
  };
}
