import type { JsonObject } from '../../src/core/json.ts';

/** Lines as Claude Code writes them, in the shapes of its transcripts. */
export function claudeLines(sessionId: string, day = '2026-11-15') {
  const outer = { isSidechain: false, sessionId, cwd: '/work/demo', gitBranch: 'main', version: '2.1.325' };
  let minute = 0;
  const at = () => `${day}T07:${String(minute++).padStart(2, '0')}:00.000Z`;
  const user = (content: JsonObject[] | string, more: JsonObject = {}): JsonObject => ({
    ...outer,
    type: 'user',
    uuid: `u${minute}`,
    timestamp: at(),
    message: { role: 'user', content },
    ...more,
  });
  const assistant = (id: string, part: JsonObject, usage: JsonObject = {}): JsonObject => ({
    ...outer,
    type: 'assistant',
    uuid: `a${minute}`,
    timestamp: at(),
    requestId: `req_${id}`,
    message: {
      id,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [part],
      usage: {
        input_tokens: 100,
        output_tokens: 10,
        cache_read_input_tokens: 7,
        cache_creation_input_tokens: 3,
        ...usage,
      },
    },
  });
  return {
    user,
    assistant,
    replay: (text: string): JsonObject => ({
      type: 'api-request-blob',
      sessionId,
      hash: 'h',
      message: { role: 'user', content: [{ type: 'text', text }] },
    }),
    text: (id: string, text: string, usage?: JsonObject) => assistant(id, { type: 'text', text }, usage),
    call: (id: string, name: string, input: JsonObject) =>
      assistant(id, { type: 'tool_use', id: `t_${id}`, name, input }),
    result: (id: string, content: JsonObject[] | string, more: JsonObject = {}) =>
      user([{ type: 'tool_result', tool_use_id: `t_${id}`, content, ...more }]),
  };
}
