import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';

/** Tells what calls of the model took, each once. */
export interface CodexUsage {
  /** A line that stands for one answer of the model. */
  record(line: JsonObject, model: string | undefined): readonly TranscriptPiece[];
  /** A running total, which is said again and again; it counts only where the version writes no records of its own. */
  event(line: JsonObject, model: string | undefined): readonly TranscriptPiece[];
}

export function codexUsage(): CodexUsage {
  let recorded = false;
  let total = '';
  return {
    record(line, model) {
      recorded = true;
      const payload = objectOf(line['payload']);
      const call = `${textOf(payload?.['thread_id']) ?? 'codex'}:${textOf(payload?.['response_id']) ?? textOf(line['timestamp']) ?? ''}`;
      return pieces(line, { call, usage: objectOf(payload?.['usage']), model });
    },
    event(line, model) {
      const payload = objectOf(line['payload']);
      const info = payload?.['type'] === 'token_count' && !recorded ? objectOf(payload['info']) : undefined;
      const sum = info === undefined ? total : JSON.stringify(info['total_token_usage'] ?? null);
      if (info === undefined || sum === total) return [];
      total = sum;
      const call = `codex@${textOf(line['timestamp']) ?? ''}:${sum}`;
      return pieces(line, { call, usage: objectOf(info['last_token_usage']), model });
    },
  };
}

interface Told {
  readonly call: string;
  readonly usage: JsonObject | undefined;
  readonly model: string | undefined;
}

/** Codex counts what was cached among the input. */
function pieces(line: JsonObject, { call, usage, model }: Told): readonly TranscriptPiece[] {
  if (usage === undefined) return [];
  const at = readTime(line['timestamp'] ?? null);
  const cacheReadTokens = countOf(usage['cached_input_tokens']);
  const cacheWriteTokens = countOf(usage['cache_write_input_tokens']);
  const report = {
    model: model ?? 'unknown',
    inputTokens: Math.max(0, countOf(usage['input_tokens']) - cacheReadTokens - cacheWriteTokens),
    outputTokens: countOf(usage['output_tokens']),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: countOf(usage['reasoning_output_tokens']),
  };
  return [{ kind: 'usage', call, report, ...(at !== undefined && { at }) }];
}
