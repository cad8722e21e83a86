import { expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { readEvents } from '../../src/client/follow-events.ts';
import { user } from '../support/collect.ts';
import { serveHome } from './serve-home.ts';

it('events tell what other processes of the home do, each thing once, with its figures', async () => {
  const served = await serveHome();
  const stop = new AbortController();
  const { body } = await served.ask('/api/events', { signal: stop.signal });
  const events = readEvents(body as unknown as AsyncIterable<Uint8Array>);
  const next = async () => (await events.next()).value;
  // Another opening of the home stands for another process: they share nothing but the files.
  await using other = await openHome({ path: served.home.path, env: {} });
  const session = await other.sessions.create({ source: 'cli' });
  expect(await next()).toMatchObject({ kind: 'session-started', sessionId: session.id, figures: { source: 'cli' } });
  await session.append(user('one'));
  await session.append(user('two'));
  let count = 0;
  while (count < 2) {
    const event = await next();
    expect(event).toMatchObject({ kind: 'messages-added', sessionId: session.id });
    count += Number(event?.figures?.['count']);
  }
  expect(count).toBe(2);
  await session.end('budget: tokens (day) 12 of 10');
  expect(await next()).toMatchObject({
    kind: 'session-stopped',
    sessionId: session.id,
    figures: { reason: 'budget: tokens (day) 12 of 10' },
  });
  // What the daemon does itself comes once as well.
  const { id } = await served.client.sessions.create({ source: 'api' });
  await served.client.sessions.append(id, [{ role: 'user', content: 'x' }]);
  await served.client.sessions.end(id, 'done');
  const own: (string | undefined)[] = [];
  while (own.at(-1) !== 'session-ended') own.push((await next())?.kind);
  expect(own).toEqual(['session-started', 'messages-added', 'session-ended']);
  stop.abort();
});

it('events are only those that were asked for', async () => {
  const served = await serveHome();
  const { session: wanted } = await served.client.routes.resolve({ key: 'a', source: 'x' });
  const stop = new AbortController();
  const query = new URLSearchParams([
    ['type', 'messages-added'],
    ['type', 'session-reset'],
    ['session', wanted.id],
  ]);
  const { body } = await served.ask(`/api/events?${query.toString()}`, { signal: stop.signal });
  const events = readEvents(body as unknown as AsyncIterable<Uint8Array>);
  const first = events.next();
  const { session: another } = await served.client.routes.resolve({ key: 'b', source: 'x' });
  await served.client.sessions.append(another.id, [{ role: 'user', content: 'x' }]);
  await served.client.sessions.append(wanted.id, [{ role: 'user', content: 'x' }]);
  expect((await first).value).toMatchObject({
    kind: 'messages-added',
    sessionId: wanted.id,
    figures: { count: 1, lastSeq: 1 },
  });
  await served.client.routes.reset('a');
  expect((await events.next()).value).toMatchObject({ kind: 'session-reset', sessionId: wanted.id });
  stop.abort();
});
