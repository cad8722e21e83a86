/** Answers in the shapes of the three APIs, as they were seen: with thinking, tools, pictures, pings and everything after them. */
export interface RecordedAnswer {
  readonly name: string;
  readonly path: string;
  readonly type: 'text/event-stream' | 'application/json';
  readonly body: string;
  /** All tokens that it bills. */
  readonly tokens: number;
}

const events = (all: readonly object[]): string =>
  all.map((event) => `event: ${(event as { type?: string }).type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const data = (all: readonly (object | string)[], end: string): string =>
  all.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}${end}${end}`).join('');

/** Words that stand in a text, a tool's arguments or a picture, and are no usage. */
const TRAP = 'He wrote {"usage":{"input_tokens":999999,"output_tokens":999999}} \\"usage\\" 東京 🗼\n';
const PICTURE = Buffer.alloc(30_000, 'picture').toString('base64');

export const RECORDED: readonly RecordedAnswer[] = [
  {
    name: 'Anthropic: thinking, a text and two tools in a stream, with pings',
    path: '/v1/messages?beta=true',
    type: 'text/event-stream',
    tokens: 12 + 2048 + 300 + 415,
    body: events([
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-x',
          content: [],
          stop_reason: null,
          usage: {
            input_tokens: 12,
            cache_creation_input_tokens: 300,
            cache_read_input_tokens: 2048,
            cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
            output_tokens: 3,
            service_tier: 'standard',
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: TRAP } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'Bash', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"comm' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: 'and":"ls"}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 415 } },
      { type: 'message_stop' },
    ]),
  },
  {
    name: 'Anthropic: one document',
    path: '/v1/messages',
    type: 'application/json',
    tokens: 30,
    body: JSON.stringify({
      id: 'msg_2',
      type: 'message',
      model: 'claude-x',
      content: [{ type: 'text', text: TRAP }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 20 },
    }),
  },
  {
    name: 'OpenAI chat: a tool in pieces, a picture, usage in a last event without choices',
    path: '/v1/chat/completions',
    type: 'text/event-stream',
    tokens: 1300,
    body: data(
      [
        { id: 'c', model: 'gpt-x', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }], usage: null },
        {
          choices: [
            { index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] } },
          ],
        },
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: TRAP } }] } }] },
        { choices: [{ index: 0, delta: { images: [{ image_url: { url: `data:image/png;base64,${PICTURE}` } }] } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: null },
        {
          choices: [],
          usage: {
            prompt_tokens: 1200,
            completion_tokens: 100,
            total_tokens: 1300,
            prompt_tokens_details: { cached_tokens: 200, audio_tokens: 0 },
            completion_tokens_details: { reasoning_tokens: 60 },
          },
        },
        '[DONE]',
      ],
      '\n',
    ),
  },
  {
    name: 'OpenAI responses: reasoning, a picture and a tool',
    path: '/v1/responses',
    type: 'text/event-stream',
    tokens: 5100,
    body: events([
      { type: 'response.created', response: { id: 'r', model: 'gpt-x', status: 'in_progress', usage: null } },
      { type: 'response.reasoning_summary_text.delta', delta: TRAP },
      { type: 'response.image_generation_call.partial_image', partial_image_b64: PICTURE },
      { type: 'response.function_call_arguments.delta', item_id: 'fc', delta: '{"usage":{"input_tokens":9}}' },
      {
        type: 'response.completed',
        response: {
          id: 'r',
          model: 'gpt-x',
          status: 'completed',
          output: [{ type: 'image_generation_call', result: PICTURE }],
          usage: {
            input_tokens: 5000,
            input_tokens_details: { cached_tokens: 4096 },
            output_tokens: 100,
            output_tokens_details: { reasoning_tokens: 64 },
            total_tokens: 5100,
          },
        },
      },
    ]),
  },
  {
    name: 'OpenAI responses: cut off at its limit',
    path: '/v1/responses',
    type: 'text/event-stream',
    tokens: 70,
    body: events([
      { type: 'response.created', response: { id: 'r', model: 'gpt-x', usage: null } },
      {
        type: 'response.incomplete',
        response: {
          id: 'r',
          status: 'incomplete',
          usage: { input_tokens: 50, input_tokens_details: { cached_tokens: 0 }, output_tokens: 20 },
        },
      },
    ]),
  },
  {
    name: 'Gemini: usage in every event, the last is right',
    path: '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    type: 'text/event-stream',
    tokens: 620,
    body: data(
      [10, 60, 100].map((candidatesTokenCount, index) => ({
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ text: TRAP }, { inlineData: { mimeType: 'image/png', data: PICTURE } }],
            },
          },
        ],
        usageMetadata: {
          promptTokenCount: 500,
          candidatesTokenCount,
          thoughtsTokenCount: 20,
          cachedContentTokenCount: 100,
          totalTokenCount: 520 + candidatesTokenCount,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: 500 }],
        },
        modelVersion: 'gemini-x',
        responseId: `r${index}`,
      })),
      '\r\n',
    ),
  },
  {
    name: 'Gemini: an array of answers',
    path: '/v1beta/models/gemini-x:generateContent',
    type: 'application/json',
    tokens: 15,
    body: JSON.stringify([
      { candidates: [{ content: { parts: [{ text: TRAP }] } }] },
      { candidates: [], usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } },
    ]),
  },
];
