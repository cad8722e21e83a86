import { describe, expect, it } from 'vitest';
import { claudeLines, codexLines, copilotLines, geminiLines, piLines } from './agent-lines.ts';

const AT = '2026-01-15T10:00:00.000Z';
const at = Date.parse(AT);

describe('what agents write about a call', () => {
  it('of Claude Code: its place, its session and the message that was billed', () => {
    const read = claudeLines();
    const usage = {
      input_tokens: 10,
      output_tokens: 2,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 5,
      service_tier: 'standard',
    };
    const message = { id: 'msg_1', model: 'claude-x', usage, content: [] };
    const line = { type: 'assistant', cwd: '/w', sessionId: 's', timestamp: AT, message };
    const tokens = {
      inputTokens: 10,
      outputTokens: 2,
      cacheReadTokens: 100,
      cacheWriteTokens: 5,
      reasoningTokens: 0,
    };
    expect(read(line)).toEqual({ place: '/w', sessionId: 's', call: { id: 'msg_1', at, model: 'claude-x', tokens } });
    // A tool that prints such a line, and a mistake that the agent itself made up.
    expect(read({ ...line, type: 'user' }).call).toBeUndefined();
    const made = { ...message, model: '<synthetic>', usage: { input_tokens: 0, output_tokens: 0 } };
    expect(read({ ...line, message: made }).call).toBeUndefined();
  });

  it('of Codex: a record for each answer, with the model of its turn; older ones by what the total has become', () => {
    const usage = { input_tokens: 1200, cached_input_tokens: 200, output_tokens: 40, reasoning_output_tokens: 10 };
    const tokens = {
      inputTokens: 1000,
      outputTokens: 40,
      cacheReadTokens: 200,
      cacheWriteTokens: 0,
      reasoningTokens: 10,
    };
    const line = (type: string, payload: object) => ({ type, timestamp: AT, payload });
    const meta = line('session_meta', { id: 'thread', session_id: 'parent', cwd: '/w' });
    const info = { last_token_usage: usage, total_token_usage: { total_tokens: 2480 } };
    const counted = line('event_msg', { type: 'token_count', info });
    const read = codexLines();
    expect(read(meta)).toEqual({ place: '/w', sessionId: 'parent' });
    read(line('turn_context', { model: 'gpt-x' }));
    const record = line('token_usage_record', { response_id: 'resp_1', usage });
    expect(read(record).call).toEqual({ id: 'resp_1', at, model: 'gpt-x', tokens });
    expect(read(counted).call).toBeUndefined();
    const older = codexLines();
    older(meta);
    expect(older(counted).call).toEqual({ id: 'thread@2480', at, model: 'unknown', tokens });
    expect(older(line('event_msg', { type: 'token_count', info: null })).call).toBeUndefined();
  });

  it('of Codex never has more read from a cache than was sent, nor more thought than was answered', () => {
    const usage = { input_tokens: 100, cached_input_tokens: 500, output_tokens: 10, reasoning_output_tokens: 70 };
    const payload = { response_id: 'r', usage };
    expect(codexLines()({ type: 'token_usage_record', timestamp: AT, payload }).call?.tokens).toEqual({
      inputTokens: 0,
      outputTokens: 10,
      cacheReadTokens: 100,
      cacheWriteTokens: 0,
      reasoningTokens: 10,
    });
  });

  it('of Gemini CLI, pi and Copilot', () => {
    const gemini = { input: 600, output: 7, cached: 100, thoughts: 3, tool: 50, total: 660 };
    expect(
      geminiLines()({ id: 'g', type: 'gemini', timestamp: AT, model: 'gemini-x', tokens: gemini }).call?.tokens,
    ).toEqual({
      inputTokens: 550,
      outputTokens: 10,
      cacheReadTokens: 100,
      cacheWriteTokens: 0,
      reasoningTokens: 3,
    });
    const usage = { input: 1000, output: 40, cacheRead: 200, cacheWrite: 1, reasoning: 5 };
    const message = { role: 'assistant', model: 'm', usage, responseId: 'r1' };
    expect(piLines()({ type: 'message', id: 'ab', timestamp: AT, message }).call).toMatchObject({
      id: 'r1',
      tokens: { inputTokens: 1000, outputTokens: 40, cacheReadTokens: 200, cacheWriteTokens: 1, reasoningTokens: 5 },
    });
    const used = { model: 'm', inputTokens: 650, outputTokens: 7, cacheReadTokens: 100, cacheWriteTokens: 50 };
    const record = { type: 'session.usage_record', timestamp: AT, data: { usage: { ...used, apiCallId: 'c1' } } };
    expect(copilotLines()(record).call).toMatchObject({ id: 'c1', tokens: { inputTokens: 500, outputTokens: 7 } });
  });

  it('tells nothing of what is damaged, without a time or beyond what one call can use', () => {
    const message = { id: 'm', model: 'x', usage: { input_tokens: 5 } };
    const read = claudeLines();
    for (const wrong of [
      { message, type: 'assistant' },
      { message: { ...message, id: 7 }, type: 'assistant', timestamp: AT },
      { message: { ...message, usage: { input_tokens: Number.MAX_SAFE_INTEGER } }, type: 'assistant', timestamp: AT },
      { message: { ...message, usage: { input_tokens: -5 } }, type: 'assistant', timestamp: AT },
      { message: { ...message, usage: [] }, type: 'assistant', timestamp: AT },
      { message: 'm', type: 'assistant', timestamp: AT },
    ])
      expect(read(wrong).call).toBeUndefined();
  });
});
