import { existsSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { countOf, moneyOf, objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { UsagePiece } from '../../core/sessions/transcript-format.ts';
import { readJsonMembers } from '../../platform/transcripts/read-json-members.ts';

/** What the window of a task shows of its calls. */
export interface TaskUsage {
  readonly pieces: readonly UsagePiece[];
  /** When the task began, and when it was last at work. */
  readonly times: readonly number[];
  readonly model: string | undefined;
}

/** Reads what each request took. A file that is missing or damaged tells nothing. */
export async function readUsage(path: string, task: string, signal?: AbortSignal): Promise<TaskUsage> {
  const pieces: UsagePiece[] = [];
  const times: number[] = [];
  let model: string | undefined;
  if (!existsSync(path)) return { pieces, times, model };
  for await (const { members } of readJsonMembers(path, { signal })) {
    for (const { text } of members) {
      const shown = parsed(text);
      const at = readTime(shown?.['ts'] ?? null);
      if (shown === undefined || at === undefined) continue;
      if (times.length < 2) times.push(at);
      else times[1] = at;
      model = textOf(objectOf(shown['modelInfo'])?.['modelId']) ?? model;
      const report = shown['say'] === 'api_req_started' ? parsed(textOf(shown['text'])) : undefined;
      if (report !== undefined)
        pieces.push({ kind: 'usage', call: `${task}@${at}`, at, report: reportOf(report, model) });
    }
  }
  return { pieces, times, model };
}

function reportOf(shown: JsonObject, model: string | undefined): UsagePiece['report'] {
  return {
    model: model ?? 'unknown',
    inputTokens: countOf(shown['tokensIn']),
    outputTokens: countOf(shown['tokensOut']),
    cacheReadTokens: countOf(shown['cacheReads']),
    cacheWriteTokens: countOf(shown['cacheWrites']),
    costUsd: moneyOf(shown['cost']),
  };
}

function parsed(text: string | undefined): JsonObject | undefined {
  try {
    const value = JSON.parse(text ?? '') as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
