// What the meter costs beside a proxy that only passes on: time to the end of one call after the other, and bytes of a large answer.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { startMeterProxy } from '../dist/gateway/meter/meter-proxy.js';
import { compare, format, report } from './measure.js';

const CALLS = 50;
const LARGE_BYTES = 64 * 1024 * 1024;

export async function benchMeter() {
  const model = await listen((incoming, response) => {
    incoming.resume().once('end', () => answer(incoming.url, response));
  });
  const bare = await listen((incoming, response) => {
    const sent = request(`${model.url}${incoming.url}`, { method: 'POST' }, (got) => got.pipe(response));
    incoming.pipe(sent);
  });
  const desk = { begin: async () => ({ end: async () => {}, free: () => {} }) };
  const meter = await startMeterProxy(desk);
  const metered = meter.base({ api: 'anthropic', upstream: model.url });

  const calls = (url) => async () => {
    for (let made = 0; made < CALLS; made += 1) await post(`${url}/v1/messages`);
  };
  const small = await compare(21, calls(metered), calls(bare.url));
  const addedMs = (small.oursMs - small.bareMs) / CALLS;
  report('meter: time added to a call', addedMs, { limit: 1, unit: ' ms', note: 'median, beside a bare proxy' });

  const { ratio } = await compare(
    7,
    () => post(`${metered}/large/v1/messages`),
    () => post(`${bare.url}/large/v1/messages`),
  );
  const note = `${format(1 / ratio)} of a bare proxy; at least 0.8 is wanted`;
  report('meter: time of a large answer, of a bare proxy', ratio, { limit: 1.25, unit: '×', note });
  await meter[Symbol.asyncDispose]();
  for (const { server } of [model, bare]) {
    server.close();
    server.closeAllConnections();
  }
}

function answer(url, response) {
  response.setHeader('content-type', 'application/json');
  const piece = Buffer.alloc(64 * 1024, ' ');
  let left = url.startsWith('/large') ? LARGE_BYTES : 0;
  const more = () => {
    let isTaken = true;
    for (; left > 0 && isTaken; left -= piece.length) isTaken = response.write(piece);
    if (isTaken) response.end('{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}');
    else response.once('drain', more);
  };
  more();
}

async function listen(handle) {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

async function post(url) {
  const sent = request(url, { method: 'POST' });
  sent.end('{"model":"m"}');
  const [got] = await once(sent, 'response');
  got.resume();
  await once(got, 'end');
}
