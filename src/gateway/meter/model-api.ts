import type { UsageReport } from '../../core/sessions/session.ts';

/** The shapes in which agents talk to models. */
export type ModelApi = 'anthropic' | 'openai' | 'gemini';

/** Tokens as an answer tells them. */
export interface AnswerUsage extends Omit<UsageReport, 'model' | 'costUsd'> {
  /** Of what was written to a cache, what is kept there for an hour: it costs more. */
  readonly hourCacheWriteTokens?: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether this request is a call that is paid for. Lists of models and token counts are not. */
export function isPaid(method: string | undefined, path: string): boolean {
  return method === 'POST' && PAID.test(path);
}

const PAID =
  /\/(messages|chat\/completions|completions|responses|embeddings)(\?|$)|:(streamGenerateContent|generateContent)(\?|$)/;

/** The model that a path names, as those of Gemini do. */
export function modelInPath(path: string): string | undefined {
  const name = /\/models\/([^/:?]+):/.exec(path)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/** Usage in a part of an answer, of whichever shape it is: one event of a stream, or all of it. Later parts win, field by field. */
export function usageIn(part: unknown): AnswerUsage | undefined {
  for (const holder of [part, fieldsOf(part)?.['message'], fieldsOf(part)?.['response']]) {
    const fields = fieldsOf(holder);
    const usage = fieldsOf(fields?.['usage']) ?? fieldsOf(fields?.['usageMetadata']);
    if (usage !== undefined) return usageOf(usage);
  }
  return undefined;
}

/** The model that answered. */
export function modelIn(part: unknown): string | undefined {
  for (const holder of [part, fieldsOf(part)?.['message'], fieldsOf(part)?.['response']]) {
    const model = fieldsOf(holder)?.['model'] ?? fieldsOf(holder)?.['modelVersion'];
    if (typeof model === 'string') return model;
  }
  return undefined;
}

export function usageOf(usage: Fields): AnswerUsage {
  if ('promptTokenCount' in usage || 'candidatesTokenCount' in usage) return geminiUsage(usage);
  // Anthropic counts what was read from a cache beside the input; OpenAI counts it as part of the input.
  return 'input_tokens_details' in usage || 'prompt_tokens' in usage ? openAiUsage(usage) : anthropicUsage(usage);
}

function anthropicUsage(usage: Fields): AnswerUsage {
  return given({
    inputTokens: count(usage['input_tokens']),
    outputTokens: count(usage['output_tokens']),
    cacheReadTokens: count(usage['cache_read_input_tokens']),
    cacheWriteTokens: count(usage['cache_creation_input_tokens']),
    hourCacheWriteTokens: count(fieldsOf(usage['cache_creation'])?.['ephemeral_1h_input_tokens']),
  });
}

function openAiUsage(usage: Fields): AnswerUsage {
  const input = count(usage['input_tokens'] ?? usage['prompt_tokens']) ?? 0;
  const output = count(usage['output_tokens'] ?? usage['completion_tokens']) ?? 0;
  const inputDetails = fieldsOf(usage['input_tokens_details'] ?? usage['prompt_tokens_details']);
  const outputDetails = fieldsOf(usage['output_tokens_details'] ?? usage['completion_tokens_details']);
  const cacheReadTokens = Math.min(input, count(inputDetails?.['cached_tokens']) ?? 0);
  const reasoningTokens = Math.min(output, count(outputDetails?.['reasoning_tokens']) ?? 0);
  return { inputTokens: input - cacheReadTokens, outputTokens: output, cacheReadTokens, reasoningTokens };
}

function geminiUsage(usage: Fields): AnswerUsage {
  const prompt = (count(usage['promptTokenCount']) ?? 0) + (count(usage['toolUsePromptTokenCount']) ?? 0);
  const cacheReadTokens = Math.min(prompt, count(usage['cachedContentTokenCount']) ?? 0);
  const reasoningTokens = count(usage['thoughtsTokenCount']) ?? 0;
  const outputTokens = (count(usage['candidatesTokenCount']) ?? 0) + reasoningTokens;
  return { inputTokens: prompt - cacheReadTokens, outputTokens, cacheReadTokens, reasoningTokens };
}

/** The refusal of a call, as the provider itself would say it and so that no agent takes it for something to try again. */
export function refusalOf(api: ModelApi, message: string): { readonly status: number; readonly body: string } {
  const bodies = {
    anthropic: { type: 'error', error: { type: 'permission_error', message } },
    openai: { error: { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } },
    gemini: { error: { code: 403, message, status: 'PERMISSION_DENIED' } },
  };
  return { status: 403, body: JSON.stringify(bodies[api]) };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** What is no whole number of tokens says nothing. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function given(usage: Readonly<Record<string, number | undefined>>): AnswerUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}
