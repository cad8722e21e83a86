import { describe, expect, it } from 'vitest';
import { json, type Served, serveHome } from './serve-home.ts';

const SESSION = '/api/sessions/one';

async function tagOf({ ask }: Served, path: string): Promise<string> {
  return (await ask(path)).headers.get('etag') ?? '';
}

async function withSession(): Promise<Served> {
  const served = await serveHome();
  await served.client.sessions.create({ id: 'one', source: 'api' });
  return served;
}

function change({ ask }: Served, title: string, headers: Readonly<Record<string, string>>) {
  const { headers: type, ...init } = json('PATCH', { title });
  return ask(SESSION, { ...init, headers: { ...(type as Record<string, string>), ...headers } });
}

describe('a change with If-Match', () => {
  it('is made of what the client has seen, and refused once that is another', async () => {
    const served = await withSession();
    const tag = await tagOf(served, SESSION);
    expect((await change(served, 'first', { 'if-match': `"other", ${tag}` })).status).toBe(200);
    const late = await change(served, 'second', { 'if-match': tag, accept: 'application/problem+json' });
    expect([late.status, await late.json()]).toMatchObject([412, { status: 412, error: { code: 'refused' } }]);
    expect((await served.client.sessions.get('one')).title).toBe('first');
    expect((await change(served, 'third', { 'if-match': '*' })).status).toBe(200);
    expect((await change(served, 'fourth', {})).status).toBe(200);
  });

  it('of several clients with the same tag is made by one', async () => {
    const served = await withSession();
    const tag = await tagOf(served, SESSION);
    const all = await Promise.all([1, 2, 3, 4, 5].map((n) => change(served, `by ${n}`, { 'if-match': tag })));
    const made = all.filter(({ status }) => status === 200);
    expect([made.length, all.filter(({ status }) => status === 412).length]).toEqual([1, 4]);
  });

  it('removes nothing that was changed since', async () => {
    const served = await withSession();
    await served.client.sessions.end('one', 'done');
    const tag = await tagOf(served, SESSION);
    await served.client.sessions.change('one', { title: 'wanted after all' });
    const remove = (given: string) => served.ask(SESSION, { method: 'DELETE', headers: { 'if-match': given } });
    expect((await remove(tag)).status).toBe(412);
    expect((await remove(await tagOf(served, SESSION))).status).toBe(200);
    expect((await remove('*')).status).toBe(404);
  });

  it('is answered as it was when it is asked for again under its key', async () => {
    const served = await withSession();
    const headers = { 'if-match': await tagOf(served, SESSION), 'idempotency-key': 'k' };
    expect((await change(served, 'mine', headers)).status).toBe(200);
    const again = await change(served, 'mine', headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    // Of an append as well, whose answer is not kept but made again.
    const path = `${SESSION}/messages`;
    const known = { 'if-match': await tagOf(served, path), 'idempotency-key': 'k' };
    const { headers: type, ...init } = json('POST', { messages: [{ role: 'user', content: 'x' }] });
    const append = () => served.ask(path, { ...init, headers: { ...(type as Record<string, string>), ...known } });
    expect([(await append()).status, (await append()).status]).toEqual([201, 201]);
    expect((await served.client.sessions.get('one')).messageCount).toBe(1);
  });

  it('is refused where there is no document that it could mean', async () => {
    const served = await withSession();
    const { headers: type, ...init } = json('POST', { reason: 'done' });
    const headers = { ...(type as Record<string, string>), 'if-match': '*' };
    expect((await served.ask(`${SESSION}/end`, { ...init, headers })).status).toBe(412);
    expect((await served.client.sessions.get('one')).endedAt).toBeUndefined();
  });
});
