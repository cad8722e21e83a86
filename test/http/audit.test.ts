import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToken } from '../../src/app/access/token-files.ts';
import { createClient } from '../../src/client/client.ts';
import type { Scope } from '../../src/core/access.ts';
import { collect } from '../support/collect.ts';
import { json, type Served, serveHome, TOKEN } from './serve-home.ts';

function clientOf({ home, server }: Served, name: string, scopes: readonly Scope[]) {
  const { token } = createToken(home.path, { name, scopes, now: Date.now() });
  return createClient({ url: server.url, token });
}

function written({ home }: Served): string {
  const folder = join(home.path, 'audit');
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

function changesIn({ home }: Served): string {
  return readdirSync(join(home.path, 'audit')).find((name) => name.startsWith('changes')) ?? '';
}

describe('the audit log over HTTP', () => {
  it('says who changed what, from where and how it went', async () => {
    const served = await serveHome();
    using ci = clientOf(served, 'ci', ['append', 'manage']);
    const { id } = await ci.sessions.create({ source: 'ci' });
    await ci.sessions.append(id, [{ role: 'user', content: 'hello' }]);
    await ci.sessions.append(id, [{ role: 'user', content: 'again' }]);
    await ci.sessions.end(id, 'done');
    const { run } = await ci.sessions.remove(id);
    await expect(ci.cron.run('nothing')).rejects.toThrow('scope run');
    const records = await collect(served.client.audit({ who: 'ci' }));
    const brief = records.map(({ what, subject, outcome, status, count }) => ({
      what,
      subject,
      outcome,
      status,
      count,
    }));
    expect(new Set(brief)).toEqual(
      new Set([
        { what: 'POST /api/sessions', subject: id, outcome: 'done', status: 201, count: undefined },
        { what: 'POST /api/sessions/{id}/messages', subject: id, outcome: 'done', status: 201, count: 2 },
        { what: 'POST /api/sessions/{id}/end', subject: id, outcome: 'done', status: 200, count: undefined },
        { what: 'DELETE /api/sessions/{id}', subject: id, outcome: 'done', status: 200, count: undefined },
        { what: 'POST /api/cron/{id}/run', subject: 'nothing', outcome: 'refused', status: 403, count: undefined },
      ]),
    );
    const removal = records.find(({ what }) => what.startsWith('DELETE'));
    expect(removal).toMatchObject({ via: 'token', address: '127.0.0.1', run: run?.id });
    expect(removal?.requestId).toMatch(/^[\da-f]{8}-\d+$/);
  });

  it('tells a removal from the same one that was asked for again', async () => {
    const served = await serveHome();
    const { id } = await served.client.sessions.create({ source: 'api' });
    await served.client.sessions.end(id, 'done');
    const remove = () => served.ask(`/api/sessions/${id}`, { method: 'DELETE', headers: { 'idempotency-key': 'k' } });
    for (let times = 1; times <= 3; times += 1) expect((await remove()).status).toBe(200);
    const records = await collect(served.client.audit());
    const removals = records.filter(({ what }) => what.startsWith('DELETE'));
    expect(removals.map(({ detail, count }) => [detail, count]).toReversed()).toEqual([
      [undefined, undefined],
      ['asked for again', 2],
    ]);
    // Only the first has changed anything.
    const changes = readFileSync(join(served.home.path, 'audit', changesIn(served)), 'utf8');
    expect(changes.match(/DELETE/g)).toHaveLength(1);
  });

  it('has a removal on disk before its answer comes', async () => {
    const served = await serveHome();
    await served.client.call('PATCH /api/sessions/{id}', {
      id: (await served.client.sessions.create({ source: 'api' })).id,
      body: { pinned: true },
    });
    expect(written(served)).toContain('PATCH /api/sessions/{id}');
  });

  it('tells of work that was begun and failed, and of a body that was refused', async () => {
    const served = await serveHome();
    await served.ask('/api/plans/0123456789abcdef/apply', { method: 'POST' });
    await served.ask('/api/plans', { method: 'POST', body: '{', headers: { 'content-type': 'text/plain' } });
    await served.ask('/api/maintain/hold', json('POST', { held: 'perhaps' }));
    const records = await collect(served.client.audit());
    expect(records.map(({ what, status }) => `${what} ${status}`).toSorted()).toEqual([
      'POST /api/maintain/hold 400',
      'POST /api/plans 415',
      'POST /api/plans/{id}/apply 404',
    ]);
    expect(records.every(({ outcome, who }) => outcome === 'refused' && who === 'owner')).toBe(true);
  });

  it('holds no secret, no message and nothing of those who only read', async () => {
    const served = await serveHome();
    using ci = clientOf(served, 'ci', ['read', 'append', 'manage']);
    const { id } = await ci.sessions.create({ source: 'ci', title: 'the-title' });
    await ci.sessions.append(id, [{ role: 'user', content: 'the-words-of-a-message' }]);
    await ci.sessions.change(id, { title: 'the-other-title', addTags: ['the-tag'] });
    await collect(ci.sessions.messages(id));
    await served.home.audit.flush();
    const text = written(served);
    expect(text).toContain(id);
    expect(text).not.toMatch(/the-|GET|coppice_/);
    expect(text).not.toContain(TOKEN);
  });

  it('comes in pages, none of which leaves anything out', async () => {
    const served = await serveHome();
    const ids = Array.from({ length: 25 }, (_, index) => `s${index}`);
    for (const id of ids) await served.client.sessions.create({ id, source: 'api' });
    const subjects = new Set<string | undefined>();
    let count = 0;
    let cursor: string | undefined;
    do {
      const page = await served.client.call('GET /api/audit', { query: { limit: 4, cursor } });
      for (const { subject } of page.records) subjects.add(subject);
      count += page.records.length;
      cursor = page.next;
    } while (cursor !== undefined);
    expect([subjects, count]).toEqual([new Set(ids), ids.length]);
    expect((await served.ask('/api/audit?cursor=x')).status).toBe(400);
  });

  it('goes on where it cannot be written, and the log of the daemon says so', async () => {
    const served = await serveHome();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(served.home.path, 'audit'), 'in the way');
    expect((await served.ask('/api/maintain/hold', json('POST', { held: true }))).status).toBe(200);
    expect(served.said.join('\n')).toMatch(/The request \S+ could not be put on record: /);
  });
});
