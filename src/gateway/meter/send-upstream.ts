import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';

/** A request of the agent, and where it goes. */
export interface ProxiedCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The beginning of its body, where somebody has looked at it. */
  readonly head?: Buffer;
}

export interface Sender {
  /** Sends the request on and the answer back, byte for byte, as fast as both sides take it. */
  pass(call: ProxiedCall, watch?: AnswerWatch): Promise<void>;
  close(): void;
}

/** Sees the answer pass by. */
export interface AnswerWatch {
  /** All of the request has left this machine. */
  readonly sent: () => void;
  readonly begun: (answer: IncomingMessage) => void;
  readonly piece: (bytes: Buffer) => void;
}

/** Those say something about one connection, and there are two. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'host',
]);

export function createSender(): Sender {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  return {
    async pass({ request, response, url, head }, watch) {
      const secure = url.protocol === 'https:';
      const options = { method: request.method, headers: passedOn(request.rawHeaders), setHost: true };
      const sent = secure
        ? httpsRequest(url, { ...options, agent: https })
        : httpRequest(url, { ...options, agent: http });
      if (watch !== undefined) sent.once('finish', watch.sent);
      // An agent that hangs up wants no answer. Before all of its request was sent it pays for none.
      response.once('close', () => void (response.writableFinished || sent.destroy()));
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve);
        sent.once('error', reject);
      });
      if (head !== undefined) sent.write(head);
      // What goes wrong with it is seen in the answer, or in its absence.
      if (request.readableEnded) sent.end();
      else pipeline(request, sent).catch(() => undefined);
      const answer = await answered;
      watch?.begun(answer);
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedBack(answer.rawHeaders));
      if (watch !== undefined) answer.on('data', watch.piece);
      await pipeline(answer, response);
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function passedOn(raw: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of pairs(raw)) (headers[name] ??= []).push(value);
  return headers;
}

function passedBack(raw: readonly string[]): string[] {
  return [...pairs(raw)].flat();
}

function* pairs(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    if (!OF_CONNECTION.has(name.toLowerCase())) yield [name, value];
  }
}
