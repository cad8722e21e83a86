import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** A model of the tests' own: it answers every call with the same few words, in the shape of the API that was asked. */
export interface ModelStub {
  readonly url: string;
  /** The calls it has answered, with their bodies. */
  readonly served: { readonly path: string; readonly body: Buffer; readonly headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

export interface StubOptions {
  /** Answers instead, where it returns true. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly gzip?: boolean;
}

/** What each call uses: 1050 tokens. */
export const CALL_TOKENS = 1050;

export async function startModelStub({ instead, gzip = false }: StubOptions = {}): Promise<ModelStub> {
  const served: ModelStub['served'] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (instead?.(request, response) === true) return;
      const body = await buffer(request);
      served.push({ path: request.url ?? '', body, headers: request.headers });
      const stream = body.includes('"stream":true') || request.url?.includes(':stream') === true;
      const text = stream ? streamOf(request.url ?? '') : JSON.stringify(documentOf(request.url ?? ''));
      response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
      if (gzip) response.setHeader('content-encoding', 'gzip');
      response.end(gzip ? gzipSync(text) : text);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  onTestFinished(close);
  return { url, served, close };
}

export function documentOf(path: string): object {
  if (path.includes(':')) return { candidates: [], usageMetadata: GEMINI, modelVersion: 'gemini-stub' };
  if (path.includes('chat/completions')) return { model: 'gpt-stub', choices: [], usage: CHAT };
  if (path.includes('responses')) return { model: 'gpt-stub', output: [], usage: RESPONSES };
  return { type: 'message', model: 'claude-stub', content: [{ type: 'text', text: 'Hello.' }], usage: ANTHROPIC };
}

export function streamOf(path: string): string {
  if (path.includes(':')) {
    const [first, last] = [{ candidates: [] }, { candidates: [], usageMetadata: GEMINI, modelVersion: 'gemini-stub' }];
    return [first, last].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
  }
  if (path.includes('chat/completions')) {
    const events = [
      { model: 'gpt-stub', choices: [{ delta: { content: 'Größe' } }], usage: null },
      { choices: [], usage: CHAT },
    ];
    return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
  }
  if (path.includes('responses')) {
    const events = [
      { type: 'response.created', response: { model: 'gpt-stub', usage: null } },
      { type: 'response.output_text.delta', delta: 'Hello.' },
      { type: 'response.completed', response: { model: 'gpt-stub', usage: RESPONSES } },
    ];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  }
  const events = [
    { type: 'message_start', message: { model: 'claude-stub', usage: { ...ANTHROPIC, output_tokens: 1 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello. 東京' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

const ANTHROPIC = {
  input_tokens: 800,
  output_tokens: 50,
  cache_read_input_tokens: 150,
  cache_creation_input_tokens: 50,
};
const CHAT = {
  prompt_tokens: 1000,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 150 },
  completion_tokens_details: { reasoning_tokens: 20 },
};
const RESPONSES = {
  input_tokens: 1000,
  output_tokens: 50,
  input_tokens_details: { cached_tokens: 150 },
  output_tokens_details: { reasoning_tokens: 20 },
};
const GEMINI = {
  promptTokenCount: 1000,
  candidatesTokenCount: 30,
  thoughtsTokenCount: 20,
  cachedContentTokenCount: 150,
  totalTokenCount: 1050,
};
