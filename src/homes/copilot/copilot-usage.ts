import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { UsagePiece } from '../../core/sessions/transcript-format.ts';

export interface CopilotUsage {
  /** One call of the model. */
  record(line: JsonObject, data: JsonObject): readonly UsagePiece[];
  /** The sums of the whole session so far, said when the program ends; older versions say nothing else. */
  total(line: JsonObject, data: JsonObject): void;
  rest(): readonly UsagePiece[];
}

/** Copilot counts what was cached among the input. */
export function copilotUsage(): CopilotUsage {
  let recorded = false;
  let sums: readonly UsagePiece[] = [];
  return {
    record(line, data) {
      const usage = objectOf(data['usage']);
      if (usage === undefined) return [];
      recorded = true;
      const call = textOf(usage['apiCallId']) ?? textOf(line['id']) ?? '';
      return [piece(line, { call, model: textOf(usage['model']), usage })];
    },
    total(line, data) {
      const metrics = objectOf(objectOf(data['accountingSnapshot'])?.['modelMetrics'] ?? data['modelMetrics']) ?? {};
      sums = Object.entries(metrics).flatMap(([model, metric]) => {
        const usage = objectOf(objectOf(metric)?.['usage']);
        return usage === undefined ? [] : [piece(line, { call: `${textOf(line['id']) ?? ''}:${model}`, model, usage })];
      });
    },
    rest: () => (recorded ? [] : sums),
  };
}

interface Told {
  readonly call: string;
  readonly model: string | undefined;
  readonly usage: JsonObject;
}

function piece(line: JsonObject, { call, model = 'unknown', usage }: Told): UsagePiece {
  const at = readTime(line['timestamp'] ?? null);
  const cacheReadTokens = countOf(usage['cacheReadTokens']);
  const cacheWriteTokens = countOf(usage['cacheWriteTokens']);
  return {
    kind: 'usage',
    call,
    ...(at !== undefined && { at }),
    report: {
      model,
      inputTokens: Math.max(0, countOf(usage['inputTokens']) - cacheReadTokens - cacheWriteTokens),
      outputTokens: countOf(usage['outputTokens']),
      cacheReadTokens,
      cacheWriteTokens,
      reasoningTokens: countOf(usage['reasoningTokens']),
    },
  };
}
