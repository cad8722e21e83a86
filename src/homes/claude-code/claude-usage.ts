import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece, UsagePiece } from '../../core/sessions/transcript-format.ts';

/** Tells what calls of the model took, each once. */
export interface ClaudeUsage {
  take(line: JsonObject): readonly TranscriptPiece[];
  rest(): readonly TranscriptPiece[];
}

interface Held {
  readonly call: string;
  readonly line: JsonObject;
}

const NOTHING: readonly TranscriptPiece[] = [];

/**
 * One answer of the model stands on several lines, each with the usage of the whole answer or, while it was streaming, of the answer
 * so far: the last one counts. The id of the answer is the same in forks and resumed copies.
 */
export function claudeUsage(): ClaudeUsage {
  let held: Held | undefined;
  const told = new Set<string>();
  const tell = (): readonly TranscriptPiece[] => {
    if (held === undefined || told.has(held.call)) return NOTHING;
    told.add(held.call);
    return [usagePiece(held)];
  };
  return {
    take(line) {
      const call = callOf(line);
      if (call === undefined) return NOTHING;
      const before = held !== undefined && held.call !== call ? tell() : NOTHING;
      held = { call, line };
      return before;
    },
    rest: tell,
  };
}

/** The answer that a line is a part of; none where the program itself speaks. */
function callOf(line: JsonObject): string | undefined {
  const message = objectOf(line['message']);
  const model = textOf(message?.['model']);
  if (message?.['usage'] === undefined || model === undefined || model === '<synthetic>') return undefined;
  return textOf(message['id']) ?? textOf(line['requestId']) ?? textOf(line['uuid']);
}

function usagePiece({ call, line }: Held): UsagePiece {
  const message = objectOf(line['message']);
  const usage = objectOf(message?.['usage']) ?? {};
  const at = readTime(line['timestamp'] ?? null);
  return {
    kind: 'usage',
    call,
    ...(at !== undefined && { at }),
    report: {
      model: textOf(message?.['model']) ?? 'unknown',
      inputTokens: countOf(usage['input_tokens']),
      outputTokens: countOf(usage['output_tokens']),
      cacheReadTokens: countOf(usage['cache_read_input_tokens']),
      cacheWriteTokens: countOf(usage['cache_creation_input_tokens']),
      reasoningTokens: countOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']),
    },
  };
}
