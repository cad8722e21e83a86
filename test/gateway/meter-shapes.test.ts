import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { totalTokens } from '../../src/core/sessions/session.ts';
import { type MeterProxy, startMeterProxy } from '../../src/gateway/meter/meter-proxy.ts';
import type { AnswerUsage } from '../../src/gateway/meter/model-api.ts';
import { campaignSize } from '../support/campaign.ts';
import { startModelStub } from '../support/model-stub.ts';
import { RECORDED, type RecordedAnswer } from '../support/recorded-answers.ts';

const PACKED = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, identity: (bytes: Buffer) => bytes };

/** An answer as it travels: packed in some way, cut at these places. */
interface Travel {
  readonly recorded: RecordedAnswer;
  readonly packing: keyof typeof PACKED;
  readonly sizes: readonly number[];
  readonly requestSizes: readonly number[];
}

const tokensOf = (usage: AnswerUsage): number =>
  totalTokens({
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
    ...usage,
  });

function pieces(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const cut: Buffer[] = [];
  // Small pieces at the beginning, where heads and first events are; then the rest, so that a picture does not take thousands.
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = turn < 200 ? (sizes[turn % sizes.length] ?? 1) : bytes.length;
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}

/** A proxy before a model that answers as it is told to, and what was billed. */
async function scene() {
  let travel: Travel | undefined;
  const billed: number[] = [];
  const received: Buffer[] = [];
  const stub = await startModelStub({
    instead(incoming, response) {
      void (async () => {
        received.push(await buffer(incoming));
        if (travel === undefined) return;
        const { recorded, packing, sizes } = travel;
        const packed = PACKED[packing](Buffer.from(recorded.body));
        response.writeHead(200, {
          'content-type': recorded.type,
          'content-encoding': packing,
          'x-request-id': 'req_1',
        });
        for (const piece of pieces(packed, sizes)) {
          response.write(piece);
          await setImmediate();
        }
        response.end();
      })();
      return true;
    },
  });
  const proxy: MeterProxy = await startMeterProxy({
    begin: async () => ({
      end: async ({ usage }) => void billed.push(tokensOf(usage)),
      free: async () => void billed.push(0),
      lost: async () => void billed.push(-1),
    }),
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const base = proxy.base({ api: 'openai', upstream: stub.url });
  return { base, billed, received, travelAs: (next: Travel) => (travel = next) };
}

const travels: fc.Arbitrary<Travel> = fc.record({
  recorded: fc.constantFrom(...RECORDED),
  packing: fc.constantFrom('gzip', 'deflate', 'br', 'identity'),
  sizes: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 }),
  requestSizes: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 }),
});

describe('the meter between an agent and recorded answers', () => {
  it('passes request and answer byte for byte, wherever they are cut and however packed, and bills what was told', async () => {
    const { base, billed, received, travelAs } = await scene();
    const words = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ content: 'Größe 東京 '.repeat(9000) }] });
    await fc.assert(
      fc.asyncProperty(travels, async (travel) => {
        travelAs(travel);
        billed.length = 0;
        const sent = request(base + travel.recorded.path, { method: 'POST' });
        const body = Buffer.from(words);
        for (const piece of pieces(body, travel.requestSizes)) sent.write(piece);
        sent.end();
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        const came = await buffer(answer);
        expect(came.equals(PACKED[travel.packing](Buffer.from(travel.recorded.body)))).toBe(true);
        expect(received.pop()?.equals(body)).toBe(true);
        expect(answer.headers).toMatchObject({ 'x-request-id': 'req_1', 'content-type': travel.recorded.type });
        await expect.poll(() => billed.length, { interval: 1, timeout: 20_000 }).toBe(1);
        expect(billed).toEqual([travel.recorded.tokens]);
      }),
      { numRuns: campaignSize({ usual: 15, torture: 500 }) },
    );
  });

  it('bills an answer that breaks off, wherever it does, and never nothing', async () => {
    const billed: number[] = [];
    const desk = {
      begin: async () => ({
        end: async ({ usage }: { usage: AnswerUsage }) => void billed.push(tokensOf(usage)),
        free: async () => void billed.push(0),
        lost: async () => void billed.push(-1),
      }),
    };
    let next: { readonly body: string; readonly type: string; readonly at: number } | undefined;
    const stub = await startModelStub({
      instead(incoming, response) {
        incoming.resume().once('end', () => {
          if (next === undefined) return;
          response.writeHead(200, { 'content-type': next.type });
          response.write(Buffer.from(next.body).subarray(0, next.at), () => setTimeout(() => response.destroy(), 5));
        });
        return true;
      },
    });
    await using proxy = await startMeterProxy(desk);
    const base = proxy.base({ api: 'openai', upstream: stub.url });
    const breaks = fc.record({
      recorded: fc.constantFrom(...RECORDED),
      share: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(breaks, async ({ recorded, share }) => {
        const { body, type, path } = recorded;
        next = { body, type, at: Math.ceil(Buffer.byteLength(body) * share) };
        const sent = request(base + path, { method: 'POST' }).on('error', () => undefined);
        sent.end(`{"model":"m","messages":"${'x'.repeat(600)}"}`);
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        await buffer(answer).catch(() => undefined);
        await expect.poll(() => billed.length, { interval: 1, timeout: 20_000 }).toBe(1);
        expect(billed.pop()).toBeGreaterThan(0);
      }),
      { numRuns: campaignSize({ usual: 15, torture: 300 }) },
    );
  });

  it('an agent that was told to wait and asks again is billed once, for the answer', async () => {
    let asked = 0;
    const billed: number[] = [];
    const [recorded] = RECORDED;
    const stub = await startModelStub({
      instead(incoming, response) {
        incoming.resume().once('end', () => {
          asked += 1;
          if (asked < 3) response.writeHead(asked === 1 ? 429 : 529, { 'retry-after': '0' }).end('{"type":"error"}');
          else response.writeHead(200, { 'content-type': recorded?.type }).end(recorded?.body);
        });
        return true;
      },
    });
    await using proxy = await startMeterProxy({
      begin: async () => ({
        end: async ({ usage }) => void billed.push(tokensOf(usage)),
        free: async () => undefined,
        lost: async () => void billed.push(-1),
      }),
    });
    const url = proxy.base({ api: 'anthropic', upstream: stub.url }) + (recorded?.path ?? '');
    const statuses: (number | undefined)[] = [];
    while (statuses.at(-1) !== 200) {
      const sent = request(url, { method: 'POST' });
      sent.end('{"model":"m"}');
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await buffer(answer);
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([429, 529, 200]);
    await expect.poll(() => billed).toEqual([recorded?.tokens]);
  });
});
