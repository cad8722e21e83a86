import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describedRoutes, serveHome, TOKEN, withId } from './serve-home.ts';

const RUNS = process.env['COPPICE_TORTURE'] === undefined ? 150 : 5000;
const LIMIT_MS = 60_000 + RUNS * 60;

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '..',
    '.',
    '../../../etc/passwd',
    '%',
    '\0',
    '__proto__',
    'constructor',
    "' OR 1=1 --",
    '*',
    '-',
    ' ',
  ),
);

describe('hostile requests', () => {
  it('are answered with an error or an answer, and never with a failure of the daemon', {
    timeout: LIMIT_MS,
  }, async () => {
    const served = await serveHome({ settings: [{ key: 'checkpoints.enabled', value: 'true' }] });
    // Jobs and checkpoints start processes; their inputs go through the same checks as all others.
    const routes = (await describedRoutes(served)).filter(({ path }) => !/events|\/run$|checkpoints$/.test(path));
    const body = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.dictionary(
        fc.constantFrom('source', 'messages', 'key', 'reason', 'title', 'ids', 'request', 'model', 'id', '__proto__'),
        fc.oneof(hostileText, fc.jsonValue({ maxDepth: 2 }), fc.constant([{ role: 'user', content: '\ud800' }])),
      ),
    );
    const asked = fc.record({
      route: fc.constantFrom(...routes),
      id: hostileText,
      query: fc.dictionary(fc.constantFrom('limit', 'cursor', 'q', 'from', 'last', 'by', 'since', 'x'), hostileText),
      body,
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ route, id, query, body: sent }) => {
        const text = id.isWellFormed() ? id : 'x';
        const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
        const response = await served.ask(withId(route.path, text) + search, {
          method: route.method,
          ...(route.method !== 'GET' && {
            body: JSON.stringify(sent),
            headers: { 'content-type': 'application/json' },
          }),
        });
        const answer = await response.text();
        expect([response.status < 500, served.said]).toEqual([true, []]);
        expect(answer).not.toMatch(/node_modules|\.ts:\d|at async/);
        if (response.status >= 400) expect(answer).not.toContain(served.home.path);
      }),
      { numRuns: RUNS },
    );
    for await (const check of served.home.check()) expect(check.problems).toEqual([]);
  });

  it('that are no HTTP at all leave the daemon as it was', { timeout: LIMIT_MS }, async () => {
    const served = await serveHome();
    const { port } = new URL(served.server.url);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.boolean(), async (bytes, begins) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined).resume();
        if (begins) socket.write(`GET /api/sessions HTTP/1.1\r\nauthorization: Bearer ${TOKEN}\r\n`);
        socket.end(bytes);
        await once(socket, 'close');
      }),
      { numRuns: RUNS },
    );
    expect([(await served.ask('/api/sessions')).status, served.said]).toEqual([200, []]);
  });
});
