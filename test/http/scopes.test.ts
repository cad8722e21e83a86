import { describe, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../src/app/access/token-files.ts';
import { createClient } from '../../src/client/client.ts';
import { SCOPES, type Scope } from '../../src/core/access.ts';
import { DAY_MS, SECOND_MS } from '../../src/core/time.ts';
import { ROUTES } from '../../src/http/route-table.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { json, type Served, serveHome, withId } from './serve-home.ts';

/** What each token may ask for. Whoever adds a route says here once more, by hand, who may use it. */
const ALLOWED: Readonly<Record<Scope | 'any' | 'none', readonly string[]>> = {
  none: ['GET /healthz', 'GET /readyz', 'POST /api/sign-in'],
  any: ['GET /api/home', 'GET /openapi.json', 'POST /api/sign-in-links', 'POST /api/sign-out'],
  read: [
    'GET /api/archive',
    'GET /api/archive/{id}/prompts',
    'GET /api/budget',
    'GET /api/check',
    'GET /api/checkpoints',
    'GET /api/checkpoints/status',
    'GET /api/checkpoints/verify',
    'GET /api/checkpoints/{id}',
    'GET /api/checkpoints/{id}/diff',
    'GET /api/checkpoints/{id}/diff/text',
    'GET /api/events',
    'GET /api/explain/{id}',
    'GET /api/ledger',
    'GET /api/ledger/totals',
    'GET /api/plans/{id}',
    'GET /api/routes',
    'GET /api/runs',
    'GET /api/runs/{id}',
    'GET /api/search',
    'GET /api/sessions',
    'GET /api/short-ids',
    'GET /api/sessions/{id}',
    'GET /api/sessions/{id}/files',
    'GET /api/sessions/{id}/messages',
    'GET /api/stats',
    'GET /api/status',
    'GET /api/usage',
    'GET /api/usage/totals',
    'GET /metrics',
  ],
  append: [
    'POST /api/routes/reset',
    'POST /api/routes/resolve',
    'POST /api/sessions',
    'POST /api/sessions/{id}/end',
    'POST /api/sessions/{id}/messages',
    'POST /api/sessions/{id}/resume',
    'POST /api/sessions/{id}/steps',
    'POST /api/sessions/{id}/usage',
  ],
  run: ['GET /api/cron', 'GET /api/cron/{id}/next', 'POST /api/cron/{id}/run'],
  manage: [
    'GET /api/audit',
    'DELETE /api/sessions/{id}',
    'GET /api/config',
    'GET /api/config/check',
    'PATCH /api/checkpoints/{id}',
    'PATCH /api/sessions/{id}',
    'POST /api/archive/restore',
    'POST /api/budget/corrections',
    'POST /api/checkpoints',
    'POST /api/checkpoints/reclaim',
    'POST /api/checkpoints/{id}/restore',
    'POST /api/cron/{id}/remove',
    'POST /api/end-crashed',
    'POST /api/imports',
    'POST /api/imports/{id}/abandon',
    'POST /api/imports/{id}/finish',
    'POST /api/imports/{id}/messages',
    'POST /api/maintain',
    'POST /api/maintain/hold',
    'POST /api/plans',
    'POST /api/plans/apply',
    'POST /api/plans/{id}/apply',
    'POST /api/plans/{id}/narrow',
    'POST /api/repair',
    'POST /api/runs/{id}/empty',
    'POST /api/runs/{id}/undo',
  ],
};

function give({ home }: Pick<Served, 'home'>, name: string, scopes: readonly Scope[], expiresAt?: number) {
  const { token } = createToken(home.path, { name, scopes, now: NOW, ...(expiresAt !== undefined && { expiresAt }) });
  return { token, headers: { authorization: `Bearer ${token}` } };
}

describe('what a token may do', () => {
  it('is written down for every route', () => {
    const declared = Object.fromEntries(
      (['none', 'any', ...SCOPES] as const).map((scope) => [
        scope,
        ROUTES.filter((route) => route.scope === scope).map(({ method, path }) => `${method} ${path}`),
      ]),
    );
    for (const [scope, routes] of Object.entries(declared)) {
      expect([scope, routes.toSorted()]).toEqual([scope, ALLOWED[scope as Scope].toSorted()]);
    }
  });

  it('is what its scopes say, on every route, and nothing else', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    for (const scope of SCOPES) {
      const { headers } = give(served, scope, [scope]);
      for (const { method, path, scope: needed } of ROUTES) {
        clock.advance(SECOND_MS);
        const stop = new AbortController();
        // A query that no route takes: nothing is done, and nobody waits for anything.
        const at = `${withId(path, 'x')}?nothing=1`;
        const answer = await served.ask(at, { method, headers, signal: stop.signal });
        const may = needed === scope || needed === 'any' || needed === 'none';
        expect([scope, method, path, answer.status === 403]).toEqual([scope, method, path, !may]);
        if (!may) {
          expect(answer.headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${needed}"`);
          expect(await answer.text()).toContain(`The token ${scope} may not do this: that needs the scope ${needed}`);
        }
        stop.abort();
      }
    }
  });

  it('is refused with the details of a problem to whoever asks for those', async () => {
    const served = await serveHome();
    const { headers } = give(served, 'ci', ['append']);
    const accept = 'application/problem+json';
    const answer = await served.ask('/api/sessions/x', { method: 'DELETE', headers: { ...headers, accept } });
    expect([answer.status, await answer.json()]).toMatchObject([403, { status: 403, error: { code: 'forbidden' } }]);
  });

  it('is to append, and to remove nothing, for a program that records', async () => {
    const served = await serveHome();
    const { token } = give(served, 'recorder', ['append']);
    using client = createClient({ url: served.server.url, token });
    const { id } = await client.sessions.create({ source: 'ci' });
    await client.sessions.append(id, [{ role: 'user', content: 'hello' }]);
    await client.sessions.end(id, 'done');
    await expect(client.sessions.remove(id)).rejects.toThrow('needs the scope manage');
    await expect(client.sessions.get(id)).rejects.toThrow('needs the scope read');
    expect((await served.client.sessions.get(id)).messageCount).toBe(1);
  });

  it('ends with the next request after it is revoked, and at its time', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const [revoked, brief] = [give(served, 'one', ['read']), give(served, 'two', ['read'], NOW + DAY_MS)];
    const statuses = async () =>
      Promise.all([revoked, brief].map(async ({ headers }) => (await served.ask('/api/usage', { headers })).status));
    expect(await statuses()).toEqual([200, 200]);
    revokeToken(served.home.path, 'one');
    expect(await statuses()).toEqual([401, 200]);
    clock.advance(DAY_MS);
    expect(await statuses()).toEqual([401, 401]);
  });

  it('ends streams of events that are open, and those of others go on', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const given = [give(served, 'a', ['read']), give(served, 'b', ['read'], NOW + DAY_MS), give(served, 'c', ['read'])];
    const streams = await Promise.all(given.map(({ headers }) => served.ask('/api/events', { headers })));
    const ended = new Set<number>();
    const reading = streams.map(async (stream, index) => {
      for await (const _ of stream.body ?? []);
      ended.add(index);
    });
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    revokeToken(served.home.path, 'a');
    await reading[0];
    expect([...ended]).toEqual([0]);
    clock.advance(DAY_MS);
    await reading[1];
    expect([...ended]).toEqual([0, 1]);
    revokeToken(served.home.path, 'c');
    await reading[2];
  });

  it('stands in the description, for each operation', async () => {
    const { ask } = await serveHome();
    const { paths } = (await (await ask('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { security: readonly Record<string, readonly string[]>[] }>>;
    };
    expect(paths['/api/sessions/{id}']?.['delete']?.security).toEqual([{ token: ['manage'] }]);
    expect(paths['/api/home']?.['get']?.security).toEqual([{ token: [] }]);
    expect(paths['/healthz']?.['get']?.security).toEqual([]);
  });

  it('binds commands that are typed with --remote as well', async () => {
    const served = await serveHome();
    const { token } = give(served, 'reader', ['read']);
    const { main } = await import('../../src/cli/main.ts');
    const { captureIo } = await import('../capture-io.ts');
    const type = async (...words: string[]) => {
      const { io, out, err } = captureIo({ env: { COPPICE_TOKEN: token } });
      return { code: await main(['--remote', served.server.url, ...words], io), said: out() + err() };
    };
    await served.ask('/api/sessions', json('POST', { id: 'one', source: 'api' }));
    expect(await type('sessions', 'list')).toMatchObject({ code: 0, said: expect.stringContaining('one') });
    expect(await type('sessions', 'pin', 'one')).toMatchObject({ said: expect.stringContaining('scope manage') });
    expect((await served.client.sessions.get('one')).pinned).toBe(false);
  });
});
