import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AnswerLines, beganLines } from './answer-lines.ts';

afterEach(() => void vi.useRealTimers());

/** A request on its way: what the server answers with, and what the client gets. */
async function request(accept: string): Promise<{ response: ServerResponse; answer: Promise<IncomingMessage> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const { port } = server.address() as AddressInfo;
  const sent = get({ host: '127.0.0.1', port, headers: { accept }, agent: false });
  const answer = new Promise<IncomingMessage>((resolve) => {
    sent.once('response', resolve).on('error', () => undefined);
  });
  const [, response] = await asked;
  return { response, answer };
}

describe('AnswerLines', () => {
  it('breaks a long silence with empty lines', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { response, answer } = await request('application/jsonl');
    const lines = new AnswerLines(response, 201);
    expect(beganLines(response)).toBe(false);
    vi.advanceTimersByTime(25_000);
    expect(beganLines(response)).toBe(true);
    await lines.step({ done: 1 });
    lines[Symbol.dispose]();
    vi.advanceTimersByTime(60_000);
    response.end();
    const message = await answer;
    let text = '';
    for await (const chunk of message.setEncoding('utf8')) text += chunk as string;
    expect([message.statusCode, message.headers['content-type'], text]).toEqual([
      201,
      'application/jsonl',
      '\n\n{"step":{"done":1}}\n',
    ]);
  });

  it('tells nothing to a client that did not ask for lines', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { response } = await request('application/json');
    using lines = new AnswerLines(response, 200);
    await lines.step({ done: 1 });
    vi.advanceTimersByTime(60_000);
    expect(response.headersSent).toBe(false);
  });

  it('knows when the client is gone, and tells it nothing more', async () => {
    const { response, answer } = await request('application/jsonl');
    using lines = new AnswerLines(response, 200);
    await lines.step({ done: 1 });
    (await answer).destroy();
    await once(lines.gone, 'abort');
    await expect(lines.step({ done: 2 })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
