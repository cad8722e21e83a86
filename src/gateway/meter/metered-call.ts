import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UNNAMED_MODEL } from '../spend/price-usage.ts';
import { type AnswerReader, createDocumentReader, createStreamReader, type ReadAnswer } from './answer-reader.ts';
import type { CallRequest } from './call-estimator.ts';
import { type AnswerUsage, type ModelApi, modelInPath, refusalOf } from './model-api.ts';
import type { ProxiedCall, Sender } from './send-upstream.ts';

/** Asked before each call, and told after it. */
export interface CallDesk {
  /** Sets aside what the call will need. A sentence when it is not allowed; the run is then being stopped. */
  begin(call: CallRequest): Promise<BegunCall | string>;
}

export interface BegunCall {
  /** Books what was used, and gives back what was set aside. */
  end(used: { readonly usage: AnswerUsage; readonly model?: string }): Promise<void>;
  /** The provider refused it or never got it, so nothing was used. */
  free(): Promise<void>;
  /** It was sent and nobody knows what it used: what was set aside for it is booked. */
  lost(): Promise<void>;
}

interface MeteredRequest extends ProxiedCall {
  readonly api: ModelApi;
  readonly sender: Sender;
}

/** So much of a request is looked at before it is sent: its model, and how much may be answered. */
const HEAD_BYTES = 64 * 1024;

/** Passes a paid call on if the budgets allow it, and reads along what it used. */
export async function meteredCall(call: MeteredRequest, desk: CallDesk): Promise<void> {
  const { request, response, api, url, sender } = call;
  const head = await headOf(request);
  const wanted = lookAt(head, request, url);
  const begun = await desk.begin(wanted);
  if (typeof begun === 'string') {
    const { status, body } = refusalOf(api, begun);
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  // The agent may have hung up while its call waited for others.
  if (response.destroyed) return begun.free();
  let reading: Reading | undefined;
  let isSent = false;
  const watch = {
    sent: () => (isSent = true),
    begun: (answer: IncomingMessage) => (reading = readAlong(answer)),
    piece: (bytes: Buffer) => reading?.add(bytes),
  };
  try {
    await sender.pass({ ...call, head }, watch);
  } finally {
    await settleCall(begun, { reading, isSent, wanted });
  }
}

interface PassedCall {
  readonly reading: Reading | undefined;
  readonly isSent: boolean;
  readonly wanted: CallRequest;
}

async function settleCall(begun: BegunCall, { reading, isSent, wanted }: PassedCall): Promise<void> {
  if (reading === undefined) {
    // A model that has the whole request works on it and bills it, whether somebody waits for the answer or not.
    if (isSent) await begun.lost();
    else await begun.free();
    return;
  }
  const read = await reading.end();
  if (reading.status >= 400) await begun.free();
  else await begun.end({ usage: billed(read, wanted), ...(read.model !== undefined && { model: read.model }) });
}

/** What to bill where an answer broke off, or does not tell: rather too much than too little. */
function billed({ usage, complete, outputEstimate }: ReadAnswer, { bytes }: CallRequest): AnswerUsage {
  if (complete) return usage;
  const { inputTokens = Math.ceil(bytes / 3), outputTokens = 0 } = usage;
  return { ...usage, inputTokens, outputTokens: Math.max(outputTokens, outputEstimate) };
}

/** Reads the beginning, or all of a short one. */
async function headOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const piece = request.read() as Buffer | null;
    if (piece !== null) {
      pieces.push(piece);
      bytes += piece.length;
    } else if (request.readableEnded || request.destroyed || !(await more(request))) {
      break;
    }
  }
  return Buffer.concat(pieces);
}

/** Waits for the next piece. False when there is none. */
function more(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (result: boolean) => (): void => {
      request.off('readable', readable);
      request.off('end', over);
      request.off('close', over);
      resolve(result);
    };
    const readable = settle(true);
    const over = settle(false);
    request.once('readable', readable);
    request.once('end', over);
    request.once('close', over);
  });
}

function lookAt(head: Buffer, request: IncomingMessage, url: URL): CallRequest {
  const text = head.toString('latin1');
  const model = modelInPath(url.pathname) ?? /"model"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? UNNAMED_MODEL;
  const most = /"(?:max_tokens|max_output_tokens|max_completion_tokens|maxOutputTokens)"\s*:\s*(\d+)/.exec(text)?.[1];
  const bytes = Number(request.headers['content-length'] ?? head.length);
  return { model, bytes, ...(most !== undefined && { maxOutput: Number(most) }) };
}

interface Reading {
  readonly status: number;
  add(bytes: Buffer): void;
  end(): Promise<ReadAnswer>;
}

/** Compressed answers are decoded in a copy, which is read and forgotten. */
function readAlong(answer: IncomingMessage): Reading {
  const status = answer.statusCode ?? 0;
  const isStream = answer.headers['content-type']?.includes('event-stream') === true;
  const reader: AnswerReader = isStream ? createStreamReader() : createDocumentReader();
  const add = (bytes: Buffer): void => reader.add(bytes);
  const decoder = DECODERS[answer.headers['content-encoding'] ?? '']?.();
  if (decoder === undefined) return { status, add, end: async () => reader.end() };
  decoder.on('data', add);
  const done = new Promise<void>((resolve) => {
    decoder.once('end', resolve);
    // An answer that broke off: what could be read of it was.
    decoder.once('error', () => resolve());
  });
  return {
    status,
    add: (bytes) => void decoder.write(bytes),
    async end() {
      decoder.end();
      await done;
      return reader.end();
    },
  };
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
