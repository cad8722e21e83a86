import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A model that always asks for one more tool, so that an agent goes on for ever, or only talks. It speaks all three APIs. */
export interface LoopingModel extends AsyncDisposable {
  readonly url: string;
  /** How many calls it has answered whole. */
  served(): number;
}

export interface LoopingModelOptions {
  /** Answers take their time, as those of real models do. */
  readonly answerMs?: number;
  /** What it says instead of asking for a tool. */
  readonly says?: string;
  /** How many times `CALL_TOKENS` each call uses. */
  readonly times?: number;
}

/** What each call uses, once. */
export const CALL_TOKENS = 1050;

type Fields = Readonly<Record<string, unknown>>;

export async function startLoopingModel(options: LoopingModelOptions = {}): Promise<LoopingModel> {
  const { answerMs = 0, says = 'Done.', times = 1 } = options;
  // Without tools there is nothing to ask for.
  const shown = (body: Fields): Fields => (options.says === undefined ? body : { ...body, tools: [] });
  let served = 0;
  let calls = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = request.method === 'POST' ? ((await json(request)) as Fields) : {};
      const path = request.url ?? '';
      const answer =
        request.method === 'POST' ? answerTo({ path, body: shown(body), says, times, call: (calls += 1) }) : undefined;
      if (answer === undefined) {
        response.writeHead(404).end('{}');
        return;
      }
      await sleep(answerMs);
      if (answer.isCall) response.once('finish', () => (served += 1));
      send(response, answer.events);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served: () => served,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** One document, or the events of a stream. */
type Events = Fields | readonly (Fields | string)[];

function send(response: ServerResponse, events: Events): void {
  if (!Array.isArray(events)) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(events));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events as readonly (Fields | string)[]) {
    const name = typeof event !== 'string' && typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function answerTo(asked: Asked): { isCall: boolean; events: Events } | undefined {
  const { path } = asked;
  if (/\/messages\/count_tokens/.test(path)) return { isCall: false, events: { input_tokens: 10 } };
  if (/:countTokens/.test(path)) return { isCall: false, events: { totalTokens: 10 } };
  const [, end] = SHAPES.find(([shape]) => shape.test(path)) ?? [];
  return end && { isCall: true, events: end(asked) };
}

interface Asked {
  readonly says: string;
  readonly times: number;
  readonly body: Fields;
  readonly call: number;
  readonly path: string;
}

const SHAPES: readonly (readonly [RegExp, (asked: Asked) => Events])[] = [
  [/\/messages/, anthropic],
  [/\/chat\/completions/, chat],
  [/\/responses/, responses],
  [/enerateContent/, gemini],
];

function anthropic({ body, call, says, times }: Asked): Events {
  const tool = toolIn((body['tools'] as readonly Fields[] | undefined) ?? [], 'input_schema', call);
  const usage = multiplied(times, {
    input_tokens: 800,
    output_tokens: 50,
    cache_read_input_tokens: 150,
    cache_creation_input_tokens: 50,
  });
  const message = { id: `msg_${call}`, type: 'message', role: 'assistant', model: body['model'] };
  const block = tool
    ? { type: 'tool_use', id: `toolu_${call}`, name: tool.name, input: tool.args }
    : { type: 'text', text: says };
  const stop = { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null };
  if (body['stream'] !== true) return { ...message, content: [block], ...stop, usage };
  const delta = tool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(tool.args) }
    : { type: 'text_delta', text: says };
  return [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: tool ? { ...block, input: {} } : { type: 'text', text: '' },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { output_tokens: usage['output_tokens'] } },
    { type: 'message_stop' },
  ];
}

function chat({ body, call, says, times }: Asked): Events {
  const tools = (body['tools'] as readonly { function: Fields }[] | undefined) ?? [];
  const tool = toolIn(
    tools.map((one) => one.function),
    'parameters',
    call,
  );
  const usage = multiplied(times, {
    prompt_tokens: 1000,
    completion_tokens: 50,
    total_tokens: 1050,
    prompt_tokens_details: { cached_tokens: 150 },
  });
  const head = { id: `chatcmpl_${call}`, created: 1, model: body['model'] };
  const asked = tool && {
    index: 0,
    id: `call_${call}`,
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.args) },
  };
  const said = asked ? { role: 'assistant', tool_calls: [asked] } : { role: 'assistant', content: says };
  const finish_reason = tool ? 'tool_calls' : 'stop';
  if (body['stream'] !== true) {
    return { ...head, object: 'chat.completion', choices: [{ index: 0, message: said, finish_reason }], usage };
  }
  const object = 'chat.completion.chunk';
  return [
    { ...head, object, choices: [{ index: 0, delta: said, finish_reason: null }] },
    { ...head, object, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...head, object, choices: [], usage },
    '[DONE]',
  ];
}

function responses({ body, call, says, times }: Asked): Events {
  const tool = toolIn((body['tools'] as readonly Fields[] | undefined) ?? [], 'parameters', call);
  const usage = multiplied(times, {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 150 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 1050,
  });
  const item = tool
    ? {
        type: 'function_call',
        id: `fc_${call}`,
        call_id: `call_${call}`,
        name: tool.name,
        arguments: JSON.stringify(tool.args),
        status: 'completed',
      }
    : { type: 'message', id: `m_${call}`, role: 'assistant', content: [{ type: 'output_text', text: says }] };
  const response = { id: `resp_${call}`, object: 'response', model: body['model'] };
  const done = { ...response, status: 'completed', output: [item], usage };
  if (body['stream'] !== true) return done;
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: done },
  ];
}

function gemini({ body, path, call, says, times }: Asked): Events {
  const given = (body['tools'] as readonly { functionDeclarations?: readonly Fields[] }[] | undefined) ?? [];
  const declared = given.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const tool = toolIn(declared, 'parametersJsonSchema', call) ?? toolIn(declared, 'parameters', call);
  const part = tool ? { functionCall: { name: tool.name, args: tool.args } } : { text: says };
  const usageMetadata = multiplied(times, {
    promptTokenCount: 1000,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 20,
    cachedContentTokenCount: 150,
    totalTokenCount: 1050,
  });
  const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
  const answer = { candidates, usageMetadata, modelVersion: /models\/([^:]+):/.exec(path)?.[1] ?? 'gemini' };
  return path.includes(':stream') ? [answer] : answer;
}

function multiplied(times: number, figures: Fields): Fields {
  const entries = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === 'number' ? value * times : multiplied(times, value as Fields),
  ]);
  return Object.fromEntries(entries) as Fields;
}

/** The tool that runs a command, and how to call it so that it does nothing; never twice the same, which some agents notice. */
function toolIn(tools: readonly Fields[], schemaKey: string, call: number): { name: string; args: Fields } | undefined {
  const tool = tools.find(({ name }) => SHELLS.has(String(name)));
  const schema = tool?.[schemaKey] as { properties?: Record<string, { type?: string }>; required?: readonly string[] };
  if (tool === undefined || schema === undefined) return undefined;
  const args = (schema.required ?? []).map((name) => [name, valueFor(name, schema.properties?.[name]?.type, call)]);
  return { name: String(tool['name']), args: Object.fromEntries(args) as Fields };
}

const SHELLS = new Set(['Bash', 'bash', 'exec_command', 'shell', 'run_shell_command', 'local_shell']);

function valueFor(name: string, type: string | undefined, call: number): unknown {
  if (name === 'command' || name === 'cmd') return type === 'array' ? ['true', `${call}`] : `true ${call}`;
  return type?.toLowerCase() === 'number' || type === 'integer' ? 1000 : type === 'boolean' ? false : 'go on';
}
