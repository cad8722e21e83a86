import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { totalTokens } from '../../src/core/sessions/session.ts';
import { createStreamReader } from '../../src/gateway/meter/answer-reader.ts';
import { type MeterProxy, startMeterProxy } from '../../src/gateway/meter/meter-proxy.ts';
import type { CallDesk } from '../../src/gateway/meter/metered-call.ts';
import type { AnswerUsage, ModelApi } from '../../src/gateway/meter/model-api.ts';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { CALL_TOKENS, startModelStub, streamOf } from '../support/model-stub.ts';
import { tempDir } from '../support/temp-dir.ts';

const AGENT = fileURLToPath(new URL('../support/agents/endless-caller.js', import.meta.url));

const ONE_CALL = `
  const body = JSON.stringify({ model: 'claude-stub', messages: [] });
  await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })).text();
`;

const PATHS: readonly (readonly [ModelApi, string])[] = [
  ['anthropic', '/v1/messages?beta=true'],
  ['openai', '/chat/completions'],
  ['openai', '/responses'],
  ['gemini', '/v1beta/models/gemini-stub:streamGenerateContent?alt=sse'],
  ['gemini', '/v1beta/models/gemini-stub:generateContent'],
];

/** A desk that allows everything, and what it was told. */
function allowing() {
  const used: AnswerUsage[] = [];
  const begun: unknown[] = [];
  let freed = 0;
  let lost = 0;
  const desk: CallDesk = {
    async begin(call) {
      begun.push(call);
      const free = async () => void (freed += 1);
      return { end: async ({ usage }) => void used.push(usage), free, lost: async () => void (lost += 1) };
    },
  };
  return { desk, used, begun, freed: () => freed, lost: () => lost };
}

async function startProxy(desk: CallDesk): Promise<MeterProxy> {
  const proxy = await startMeterProxy(desk);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function post(url: string, body: Buffer | string, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = request(url, { method: 'POST', headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const sum = (used: readonly AnswerUsage[]) =>
  used.reduce((all, usage) => all + totalTokens({ ...NOTHING, ...usage }), 0);
const NOTHING = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
};

describe('the meter', () => {
  it.each(PATHS)('passes %s%s byte for byte, and reads what it used', async (api, path) => {
    for (const stream of [true, false]) {
      const [stub, told] = [await startModelStub({ gzip: stream }), allowing()];
      const base = (await startProxy(told.desk)).base({ api, upstream: stub.url });
      const body = JSON.stringify({ model: 'm', max_tokens: 99, stream, messages: ['Größe'] });
      const [direct, through] = [
        await post(stub.url + path, body),
        await post(base + path, body, { 'x-api-key': 'k' }),
      ];
      expect(through.body).toEqual(direct.body);
      expect(stub.served[1]).toMatchObject({ path, body: Buffer.from(body), headers: { 'x-api-key': 'k' } });
      await expect.poll(() => sum(told.used)).toBe(CALL_TOKENS);
      expect(told.begun).toMatchObject([{ model: api === 'gemini' ? 'gemini-stub' : 'm', maxOutput: 99 }]);
      if (stream) expect(gunzipSync(through.body).toString()).toContain('data: ');
    }
  });

  it('reads usage wherever the pieces of a stream are cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PATHS.map(([, path]) => path)),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
        (path, sizes) => {
          const bytes = Buffer.from(streamOf(path));
          const reader = createStreamReader();
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            reader.add(Buffer.from(bytes.subarray(at, at + size)));
            at += size;
          }
          const { usage, complete } = reader.end();
          expect([totalTokens({ ...NOTHING, ...usage }), complete]).toEqual([CALL_TOKENS, true]);
        },
      ),
      { numRuns: 100, seed: 20 },
    );
  });

  it('passes a refusal of the provider on as it is, with when to try again, and books nothing for it', async () => {
    const told = allowing();
    const stub = await startModelStub({
      instead(_request, response) {
        response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end('{"type":"error"}');
        return true;
      },
    });
    const base = (await startProxy(told.desk)).base({ api: 'anthropic', upstream: stub.url });
    const answer = await post(`${base}/v1/messages`, '{"model":"m"}');
    expect(answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: Buffer.from('{"type":"error"}'),
    });
    await expect.poll(told.freed).toBe(1);
    expect(told.used).toEqual([]);
  });

  it.each([400, 401, 404, 500, 529])('bills nothing for a call that its model answers with %i', async (status) => {
    const told = allowing();
    const stub = await startModelStub({
      instead: (incoming, response) => {
        incoming.resume();
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"usage":{"input_tokens":7}}');
        return true;
      },
    });
    const base = (await startProxy(told.desk)).base({ api: 'anthropic', upstream: stub.url });
    expect((await post(`${base}/v1/messages`, '{}')).status).toBe(status);
    await expect.poll(told.freed).toBe(1);
    expect([told.lost(), told.used]).toEqual([0, []]);
  });

  it('bills an answer that breaks off for at least what came', async () => {
    const told = allowing();
    const words = 'a word '.repeat(3000);
    const start = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 800, output_tokens: 1 } } };
    const delta = { type: 'content_block_delta', delta: { text: words } };
    const stub = await startModelStub({
      instead(_request, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify(start)}\n\ndata: ${JSON.stringify(delta)}\n\n`, () => {
          setTimeout(() => response.destroy(), 100);
        });
        return true;
      },
    });
    const base = (await startProxy(told.desk)).base({ api: 'anthropic', upstream: stub.url });
    await expect(post(`${base}/v1/messages`, '{"model":"m"}')).rejects.toThrow();
    await expect.poll(() => told.used.length).toBe(1);
    expect(told.used[0]?.inputTokens).toBe(800);
    expect(told.used[0]?.outputTokens).toBeGreaterThanOrEqual(6000);
  });

  it('bills a call that the agent drops before an answer comes, and one whose connection breaks', async () => {
    const told = allowing();
    let isBroken = false;
    let asked = 0;
    const stub = await startModelStub({
      instead(incoming) {
        incoming.resume().once('end', () => {
          asked += 1;
          if (isBroken) incoming.socket.destroy();
        });
        return true;
      },
    });
    const base = (await startProxy(told.desk)).base({ api: 'anthropic', upstream: stub.url });
    const sent = request(`${base}/v1/messages`, { method: 'POST' }).on('error', () => undefined);
    sent.end('{"model":"m"}');
    await expect.poll(() => asked).toBe(1);
    sent.destroy();
    await expect.poll(told.lost).toBe(1);
    isBroken = true;
    expect((await post(`${base}/v1/messages`, '{"model":"m"}')).status).toBe(502);
    expect([told.lost(), told.freed(), told.used]).toEqual([2, 0, []]);
  });

  it('bills nothing for a call that cannot have been served: no connection, or half a request', async () => {
    const told = allowing();
    const [gone, stub] = [await startModelStub(), await startModelStub({ instead: () => true })];
    const proxy = await startProxy(told.desk);
    await gone.close();
    const nowhere = proxy.base({ api: 'anthropic', upstream: gone.url });
    expect((await post(`${nowhere}/v1/messages`, '{"model":"m"}')).status).toBe(502);
    const base = proxy.base({ api: 'anthropic', upstream: stub.url });
    const headers = { 'content-length': '1000000' };
    const sent = request(`${base}/v1/messages`, { method: 'POST', headers }).on('error', () => undefined);
    sent.write(Buffer.alloc(100_000, 'x'));
    await expect.poll(() => told.begun.length).toBe(2);
    sent.destroy();
    await expect.poll(told.freed).toBe(2);
    expect([told.lost(), told.used]).toEqual([0, []]);
  });

  it('refuses in the words of the provider, and the provider is not asked', async () => {
    const stub = await startModelStub();
    const proxy = await startProxy({ begin: async () => 'All is used up.' });
    const shapes: Record<ModelApi, object> = {
      anthropic: { type: 'error', error: { type: 'permission_error', message: 'All is used up.' } },
      openai: { error: { code: 'insufficient_quota', message: 'All is used up.' } },
      gemini: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'All is used up.' } },
    };
    for (const [api, path] of PATHS) {
      const answer = await post(proxy.base({ api, upstream: stub.url }) + path, '{"model":"m"}');
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body.toString())).toMatchObject(shapes[api]);
    }
    expect(stub.served).toEqual([]);
  });

  it('lets nobody through who does not know the secret, nor to another machine, and no WebSocket', async () => {
    const stub = await startModelStub();
    const base = new URL((await startProxy(allowing().desk)).base({ api: 'openai', upstream: stub.url }));
    expect((await post(`${base.origin}/guess/0/responses`, '{}')).status).toBe(404);
    // What stands before an @ would be taken for a user, and what comes after it for another machine.
    const other = await startModelStub();
    for (const rest of [`@${new URL(other.url).host}/responses`, '.example/responses', 'x'])
      expect([rest, (await post(`${base.href}${rest}`, '{}')).status]).toEqual([rest, 404]);
    expect(other.served).toEqual([]);
    const socket = connect(Number(base.port), '127.0.0.1');
    socket.write(
      `GET ${base.pathname}/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 426 /);
    expect(stub.served).toEqual([]);
  });

  it('keeps no body: 100 MB pass both ways, at the pace of a slow reader', async () => {
    const told = allowing();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const stub = await startModelStub({
      instead(incoming, response) {
        incoming.resume().once('end', () => {
          response.setHeader('content-type', 'application/json');
          let left = 100;
          const more = (): void => {
            while (left > 0 && response.write(piece)) left -= 1;
            if (left > 0) response.once('drain', () => ((left -= 1), more()));
            else response.end(`"usage":{"input_tokens":7,"output_tokens":3}}`);
          };
          more();
        });
        return true;
      },
    });
    const base = (await startProxy(told.desk)).base({ api: 'anthropic', upstream: stub.url });
    const before = process.memoryUsage().rss;
    const sent = request(`${base}/v1/messages`, { method: 'POST' });
    for (let left = 100; left > 0; left -= 1) if (!sent.write(piece)) await once(sent, 'drain');
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    // Nobody reads yet, so hardly anything may have been taken from the model.
    await sleep(200);
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(100 * piece.length);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * piece.length);
    await expect.poll(() => sum(told.used)).toBe(10);
  });
});

describe('a metered run', () => {
  it('stops an agent that calls its model for ever before the limit is passed, and has booked what was served', async () => {
    const stub = await startModelStub();
    const home = join(tempDir(), 'home');
    const env = { ANTHROPIC_BASE_URL: stub.url, ANTHROPIC_API_KEY: 'sk-secret-of-the-user' };
    const args = ['run', '--meter', '--max-tokens', '5000', '--', process.execPath, AGENT];
    const { code, stderr } = await coppice(home, args, { env });
    expect({ code, stderr }).toMatchObject({ code: 124, stderr: expect.stringContaining('5,000 tokens') as string });
    expect(stub.served.length).toBe(4);
    const { spending } = await coppiceJson<{ spending: readonly object[] }>(home, ['budget']);
    expect(spending).toMatchObject([{ tokens: 4 * CALL_TOKENS }]);
    expect(stub.served[0]?.headers['x-api-key']).toBe('sk-secret-of-the-user');
    // Neither the key nor what was asked is kept or told.
    const kept = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = kept.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    for (const word of ['sk-secret-of-the-user', 'go ongo on'])
      expect([word, [stderr, ...texts].some((text) => text.includes(word))]).toEqual([word, false]);
  });

  it('books what a cache keeps for an hour as what it costs', async () => {
    const usage = {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 1000,
      cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 },
    };
    const stub = await startModelStub({
      instead(asked, response) {
        asked.resume();
        response.end(JSON.stringify({ type: 'message', model: 'claude-stub', content: [], usage }));
        return true;
      },
    });
    const home = join(tempDir(), 'home');
    await coppice(home, ['config', 'init']);
    const prices = { 'claude-stub': { input: 8, output: 10, cache_write: 10 } };
    writeFileSync(join(home, 'config.yaml'), JSON.stringify({ prices }), { mode: 0o600 });
    const agent = [process.execPath, '--input-type=module', '-e', ONE_CALL];
    const { code } = await coppice(home, ['run', '--meter', '--', ...agent], { env: { ANTHROPIC_BASE_URL: stub.url } });
    const { spending } = await coppiceJson<{ spending: readonly object[] }>(home, ['budget']);
    expect({ code, spending }).toMatchObject({ code: 0, spending: [{ tokens: 1000, costUsd: 0.0136 }] });
  });
});
