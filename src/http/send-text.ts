import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Sends text as it comes and no faster than it is read. What fails before the first piece is an error like any other. */
export async function sendText(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  const rest = pieces[Symbol.asyncIterator]();
  const first = await rest.next();
  response.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  await pipeline(async function* () {
    try {
      for (let piece = first; piece.done !== true; piece = await rest.next()) yield piece.value;
    } finally {
      await rest.return?.();
    }
  }, response);
}
