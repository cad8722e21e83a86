// Durable appends over HTTP against a bare hono server that sends back what it gets, in alternating rounds: the same bodies, the
// same connections. Each server has a process of its own, as in life; the clients are in this one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { format, median, report, timed } from './measure.js';
import { seeded, sentence } from './words.js';

/** So many that both servers always have something to do. */
const CONNECTIONS = 128;
const REQUESTS = 12_800;
const PACED_SECONDS = 12;
const PACED_ROUNDS = 5;
const FOLLOWERS = 300;

export async function benchHttp(directory) {
  const ours = await start('ours', join(directory, 'http'));
  const bare = await start('bare', directory);
  const random = seeded(7);
  const bodies = Array.from({ length: 100 }, () =>
    JSON.stringify({ messages: [{ role: 'user', content: sentence(random) }] }),
  );
  const appends = await openClients(ours, bodies);
  const echoes = await openClients(bare, bodies);
  await appends.flood(REQUESTS);
  await echoes.flood(REQUESTS);
  const rounds = [];
  for (let round = 0; round < 9; round += 1) {
    const append = await timed(() => appends.flood(REQUESTS));
    // The search index follows after a flood. It must not take time from the echo, and has a row of its own.
    const index = await timed(() => searched(ours));
    const echo = await timed(() => echoes.flood(REQUESTS));
    rounds.push({ append, index, echo });
  }
  const middle = (pick) => median(rounds.map(pick));
  const rate = (pick) => `${format(REQUESTS / middle(pick))} k/s`;
  const indexed = format(middle(({ append, index, echo }) => (append + index) / echo));
  const note = `${rate(({ append }) => append)}, echo ${rate(({ echo }) => echo)}; until a search finds them ${indexed}×`;
  report(
    'an echo by hono / durable appends over HTTP',
    middle(({ append, echo }) => append / echo),
    { limit: 1 / 0.6, unit: '×', note },
  );
  await benchFollowed(ours, appends);
  const half = REQUESTS / middle(({ append }) => append) / 2;
  const paced = [];
  for (let round = 0; round < PACED_ROUNDS; round += 1) {
    // Neither begins cold: the engine forgets its fast code in a long pause.
    await appends.flood(REQUESTS);
    await searched(ours);
    const before = stolenSeconds();
    const append = await appends.paced(half);
    const stolen = stolenSeconds() - before;
    await searched(ours);
    await echoes.flood(REQUESTS);
    paced.push({ append, stolen, echo: await echoes.paced(half) });
  }
  // A host that takes the machine away makes everybody wait: every run is shown, with what it took and with an echo's.
  const shown = paced.map(({ append, stolen }) => `${format(append)} (${format(stolen)} s)`).join(', ');
  const echoed = paced.map(({ echo }) => format(echo)).join(', ');
  const beside = `${format(half)} k/s; runs (taken by the host): ${shown}; the echo ${echoed}`;
  const p99 = median(paced.map(({ append }) => append));
  report('p99 of an append over HTTP at half load', p99, { limit: 25, unit: ' ms', note: beside });
  for (const clients of [appends, echoes]) clients.close();
  for (const { child } of [ours, bare]) child.kill();
}

/** The same appends while many clients follow what happens, and while nobody does. */
async function benchFollowed(ours, appends) {
  const rounds = [];
  for (let round = 0; round < 7; round += 1) {
    const alone = await timed(() => appends.flood(REQUESTS));
    const followers = fork(new URL('./http-followers.js', import.meta.url), [ours.port, ours.headers, FOLLOWERS]);
    await once(followers, 'message');
    const followed = await timed(() => appends.flood(REQUESTS));
    followers.kill();
    await once(followers, 'exit');
    await searched(ours);
    rounds.push({ alone, followed });
  }
  const ratio = median(rounds.map(({ alone, followed }) => followed / alone));
  const rate = format(REQUESTS / median(rounds.map(({ followed }) => followed)));
  const note = `${format(100 / ratio)} % of the appends that nobody follows, ${rate} k/s; at least 60 % is wanted`;
  report(`appends over HTTP beside ${FOLLOWERS} followers`, ratio, { limit: 1 / 0.6, unit: '×', note });
}

/** Processor time that the host of this machine has given to others, as far as it says so. */
function stolenSeconds() {
  try {
    return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8]) / 100;
  } catch {
    return 0;
  }
}

/** A search waits for the index. */
async function searched({ port, headers }) {
  const [, token] = /authorization: (.*)\r\n/.exec(headers) ?? [];
  const response = await fetch(`http://127.0.0.1:${port}/api/search?q=nothing`, { headers: { authorization: token } });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function start(kind, directory) {
  const child = fork(new URL('./http-server.js', import.meta.url), [kind, directory]);
  const [{ port, headers, path }] = await once(child, 'message');
  return { child, port, headers, path };
}

/** Plain sockets and whole requests made beforehand: the clients cost as little as they can. */
async function openClients({ port, headers, path }, bodies) {
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openClient(port)));
  const send = (client, number) => client(requests[number % requests.length]);
  return {
    /** Every connection sends its next request when the answer to the last one is there. */
    async flood(count) {
      let sent = 0;
      const run = async (client) => {
        while (sent < count) await send(client, sent++);
      };
      await Promise.all(clients.map(run));
    },
    /** Requests by the clock, whether the last one was answered or not; from the moment each was due. */
    paced(perMs) {
      const took = new Float64Array(Math.floor(perMs * PACED_SECONDS * 1000));
      const begun = performance.now();
      let sent = 0;
      let answered = 0;
      return new Promise((resolve) => {
        const sendOne = async (number) => {
          await send(clients[number % clients.length], number);
          took[number] = performance.now() - (begun + number / perMs);
          answered += 1;
          if (answered === took.length) resolve(took.toSorted()[Math.floor(took.length * 0.99)]);
        };
        const sendDue = () => {
          const due = Math.min(took.length, (performance.now() - begun) * perMs);
          while (sent < due) void sendOne(sent++);
          if (sent < took.length) setTimeout(sendDue, 1);
        };
        sendDue();
      });
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}

async function openClient(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const waiting = [];
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
    for (let end = endOf(text); end !== -1; end = endOf(text)) {
      if (!text.startsWith('HTTP/1.1 20')) throw new Error(text.slice(0, 400));
      text = text.slice(end);
      waiting.shift()();
    }
  });
  const client = (request) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      socket.write(request);
    });
  client.close = () => socket.destroy();
  return client;
}

/** Where the first answer ends, or -1 while it is not all there. */
function endOf(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return -1;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1]);
  const end = head + 4 + length;
  return text.length < end ? -1 : end;
}
