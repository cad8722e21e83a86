import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { UsagePiece } from '../../core/sessions/transcript-format.ts';

/** Tells what calls of the model took, each once: a record is written again when its tools have answered. */
export function geminiUsage(): { take(record: JsonObject): readonly UsagePiece[] } {
  const told = new Set<string>();
  return {
    take(record) {
      const tokens = objectOf(record['tokens']);
      const call = textOf(record['id']);
      if (tokens === undefined || call === undefined || told.has(call)) return [];
      told.add(call);
      const at = readTime(record['timestamp'] ?? null);
      return [{ kind: 'usage', call, report: report(record, tokens), ...(at !== undefined && { at }) }];
    },
  };
}

/** What was cached is counted among the input, what was thought is not counted among the output. */
function report(record: JsonObject, tokens: JsonObject): UsagePiece['report'] {
  const cacheReadTokens = countOf(tokens['cached']);
  const reasoningTokens = countOf(tokens['thoughts']);
  return {
    model: textOf(record['model']) ?? 'unknown',
    inputTokens: Math.max(0, countOf(tokens['input']) - cacheReadTokens) + countOf(tokens['tool']),
    outputTokens: countOf(tokens['output']) + reasoningTokens,
    cacheReadTokens,
    cacheWriteTokens: 0,
    reasoningTokens,
  };
}
