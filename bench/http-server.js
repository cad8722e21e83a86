// A server for bench/http.js: the daemon's API on a home of its own, or a bare echo by hono.
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { startServer } from '../dist/http/server/start-server.js';
import { openHome } from '../dist/index.js';

const [, , kind, directory] = process.argv;
process.send(await (kind === 'ours' ? serveHome() : serveEcho()));

async function serveHome() {
  const home = await openHome({ path: directory });
  const token = 'a'.repeat(43);
  const server = await startServer({ home, clock: Date, token, say: console.error }, { host: '127.0.0.1', port: 0 });
  const { id } = await home.sessions.create({ source: 'api' });
  const headers = `authorization: Bearer ${token}\r\n`;
  return { port: Number(new URL(server.url).port), headers, path: `/api/sessions/${id}/messages` };
}

function serveEcho() {
  const app = new Hono().post('/echo', async (c) => c.json(await c.req.json()));
  const server = createAdaptorServer({ fetch: app.fetch });
  // Its connections wait while the other server has its turn.
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, headers: '', path: '/echo' }));
  });
}
