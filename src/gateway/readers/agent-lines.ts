import type { FoundTokens } from '../../core/gateway/spend-book.ts';
import { callOf, countOf, type Fields, fieldsAt, type LineReader, type ToldLine, textOf } from './told-line.ts';

/** Claude Code: one answer is several lines with the same message and the same usage. What is not of a model bears no usage. */
export function claudeLines(): LineReader {
  return (line) => {
    const told = { place: textOf(line['cwd']), sessionId: textOf(line['sessionId'] ?? line['session_id']) };
    if (line['type'] !== 'assistant') return told;
    return { ...told, call: claudeCall(fieldsAt(line, 'message'), line['timestamp']) };
  };
}

/** A message as Anthropic answers it. */
export function claudeCall(message: Fields, at: unknown) {
  const usage = fieldsAt(message, 'usage');
  const tokens: FoundTokens = {
    inputTokens: countOf(usage['input_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    cacheReadTokens: countOf(usage['cache_read_input_tokens']),
    cacheWriteTokens: countOf(usage['cache_creation_input_tokens']),
    reasoningTokens: 0,
  };
  return callOf({ id: textOf(message['id']), at, model: message['model'], tokens });
}

/**
 * Codex: each answer has a record of its own. Older versions only tell totals and what the last answer used, again and again; there the
 * total is the name of the call.
 */
export function codexLines(): LineReader {
  let [thread, model]: (string | undefined)[] = [];
  let hasRecords = false;
  return (line): ToldLine => {
    const payload = fieldsAt(line, 'payload');
    const type = line['type'];
    if (type === 'session_meta') {
      thread = textOf(payload['id']);
      return { place: textOf(payload['cwd']), sessionId: textOf(payload['session_id']) ?? thread };
    }
    if (type === 'turn_context') model = textOf(payload['model']) ?? model;
    const at = line['timestamp'];
    if (type === 'token_usage_record') {
      hasRecords = true;
      return {
        call: callOf({ id: textOf(payload['response_id']), at, model, tokens: codexTokens(payload['usage']) }),
      };
    }
    if (hasRecords || type !== 'event_msg' || payload['type'] !== 'token_count') return {};
    const total = countOf(fieldsAt(payload, 'info', 'total_token_usage')['total_tokens']);
    const id = thread === undefined ? undefined : `${thread}@${total}`;
    return { call: callOf({ id, at, model, tokens: codexTokens(fieldsAt(payload, 'info')['last_token_usage']) }) };
  };
}

export function codexTokens(value: unknown): FoundTokens {
  const usage = fieldsAt(value);
  const input = countOf(usage['input_tokens']);
  const cacheReadTokens = Math.min(input, countOf(usage['cached_input_tokens']));
  const outputTokens = countOf(usage['output_tokens']);
  const reasoningTokens = Math.min(outputTokens, countOf(usage['reasoning_output_tokens']));
  return { inputTokens: input - cacheReadTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0, reasoningTokens };
}

/** Gemini CLI: a message is written again when its tools have answered. */
export function geminiLines(): LineReader {
  return (line) => ({
    place: textOf(line['projectHash']),
    sessionId: textOf(line['sessionId']),
    call:
      line['type'] === 'gemini'
        ? callOf({
            id: textOf(line['id']),
            at: line['timestamp'],
            model: line['model'],
            tokens: geminiTokens(line['tokens']),
          })
        : undefined,
  });
}

function geminiTokens(value: unknown): FoundTokens {
  const tokens = fieldsAt(value);
  const prompt = countOf(tokens['input']) + countOf(tokens['tool']);
  const cacheReadTokens = Math.min(prompt, countOf(tokens['cached']));
  const reasoningTokens = countOf(tokens['thoughts']);
  const outputTokens = countOf(tokens['output']) + reasoningTokens;
  return { inputTokens: prompt - cacheReadTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0, reasoningTokens };
}

/** pi: a fork copies lines with their ids and times, so the answer's own id is the name. */
export function piLines(): LineReader {
  let session: string | undefined;
  return (line) => {
    if (line['type'] === 'session') {
      session = textOf(line['id']);
      return { place: textOf(line['cwd']), sessionId: session };
    }
    const message = fieldsAt(line, 'message');
    if (message['role'] !== 'assistant') return {};
    const [entry, at] = [textOf(line['id']), textOf(line['timestamp'])];
    const id = textOf(message['responseId']) ?? (entry && `${at}@${entry}`);
    const usage = fieldsAt(message, 'usage');
    const outputTokens = countOf(usage['output']);
    const tokens: FoundTokens = {
      inputTokens: countOf(usage['input']),
      outputTokens,
      cacheReadTokens: countOf(usage['cacheRead']),
      cacheWriteTokens: countOf(usage['cacheWrite']),
      reasoningTokens: Math.min(outputTokens, countOf(usage['reasoning'])),
    };
    return { call: callOf({ id, at, model: message['model'], tokens }) };
  };
}

/** Copilot: its input counts what was read from and written to a cache. */
export function copilotLines(): LineReader {
  return (line) => {
    const data = fieldsAt(line, 'data');
    if (line['type'] === 'session.start' || line['type'] === 'session.resume')
      return { place: textOf(fieldsAt(data, 'context')['cwd']), sessionId: textOf(data['sessionId']) };
    if (line['type'] !== 'session.usage_record') return {};
    const usage = fieldsAt(data, 'usage');
    const [cacheReadTokens, cacheWriteTokens] = [countOf(usage['cacheReadTokens']), countOf(usage['cacheWriteTokens'])];
    const tokens: FoundTokens = {
      inputTokens: Math.max(0, countOf(usage['inputTokens']) - cacheReadTokens - cacheWriteTokens),
      outputTokens: countOf(usage['outputTokens']),
      cacheReadTokens,
      cacheWriteTokens,
      reasoningTokens: 0,
    };
    const id = textOf(usage['apiCallId']) ?? textOf(line['id']);
    return { call: callOf({ id, at: line['timestamp'], model: usage['model'], tokens }) };
  };
}
