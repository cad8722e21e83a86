import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece, UsagePiece } from '../../core/sessions/transcript-format.ts';

/** Tells what calls of the model took, each once. */
export interface ClaudeUsage {
  take(line: JsonObject): readonly TranscriptPiece[];
  rest(): readonly TranscriptPiece[];
}

/**
 * One answer of the model stands on several lines, each with the usage of the whole answer or, while it was streaming, of the answer
 * so far: the last one counts. The id of the answer is the same in forks and resumed copies.
 */
export function claudeUsage(): ClaudeUsage {
  let held: UsagePiece | undefined;
  const told = new Set<string>();
  const tell = (): readonly TranscriptPiece[] => {
    if (held === undefined || told.has(held.call)) return [];
    told.add(held.call);
    return [held];
  };
  return {
    take(line) {
      const piece = usagePiece(line);
      if (piece === undefined) return [];
      const before = held !== undefined && held.call !== piece.call ? tell() : [];
      held = piece;
      return before;
    },
    rest: tell,
  };
}

function usagePiece(line: JsonObject): UsagePiece | undefined {
  const message = objectOf(line['message']);
  const usage = objectOf(message?.['usage']);
  const model = textOf(message?.['model']);
  const call = textOf(message?.['id']) ?? textOf(line['requestId']) ?? textOf(line['uuid']);
  if (usage === undefined || call === undefined || model === undefined || model === '<synthetic>') return undefined;
  const at = readTime(line['timestamp'] ?? null);
  return {
    kind: 'usage',
    call,
    ...(at !== undefined && { at }),
    report: {
      model,
      inputTokens: countOf(usage['input_tokens']),
      outputTokens: countOf(usage['output_tokens']),
      cacheReadTokens: countOf(usage['cache_read_input_tokens']),
      cacheWriteTokens: countOf(usage['cache_creation_input_tokens']),
      reasoningTokens: countOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']),
    },
  };
}
