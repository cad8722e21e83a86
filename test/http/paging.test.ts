import { describe, expect, it } from 'vitest';
import { type Served, serveHome, withId } from './serve-home.ts';

const PATIENCE = { timeout: 60_000 };

interface Listed {
  readonly total?: number;
  readonly next?: string | number;
}

/** Everything that a list gives page by page, and what each page said of how many there are. */
async function walk({ ask }: Served, path: string, { name, next }: { name: string; next: string }) {
  const items: unknown[] = [];
  const totals = new Set<number | undefined>();
  const join = path.includes('?') ? '&' : '?';
  for (let place = ''; ; ) {
    const page = (await (await ask(`${path}${join}limit=2${place}`)).json()) as Listed & Record<string, unknown[]>;
    items.push(...(page[name] ?? []));
    totals.add(page.total);
    if (page.next === undefined) return { items, totals: [...totals] };
    place = `&${next}=${encodeURIComponent(page.next)}`;
  }
}

async function fill(served: Served): Promise<void> {
  const { client, home } = served;
  for (let number = 1; number <= 5; number += 1) {
    const source = number % 2 === 0 ? 'even' : 'odd';
    const { session } = await client.routes.resolve({ key: `key-${number}`, source });
    await client.sessions.recordUsage(session.id, { model: `m${number}`, inputTokens: number });
  }
  await client.sessions.create({ id: 'short', source: 'tagged', title: 'talks', tags: ['a', 'b', 'c'] });
  await client.sessions.create({ id: 'long', source: 'even', title: 'A talk', tags: ['b', 'a'] });
  const messages = Array.from({ length: 5 }, (_, index) => ({ role: 'user' as const, content: `${index}` }));
  await client.sessions.append('long', messages);
  for (let number = 1; number <= 3; number += 1) {
    await client.sessions.create({ id: `gone-${number}`, source: 'gone' });
    await client.sessions.end(`gone-${number}`, 'done');
    await client.sessions.remove(`gone-${number}`);
  }
  await (await home.scheduler()).add('nightly', { schedule: '0 3 * * *', command: ['true'] });
}

describe('lists', () => {
  it('say how many there are, and give all of them page by page', PATIENCE, async () => {
    const served = await serveHome();
    await fill(served);
    const lists = [
      ['/api/sessions', { name: 'sessions', next: 'cursor' }, 7],
      ['/api/sessions?source=even', { name: 'sessions', next: 'cursor' }, 3],
      ['/api/sessions?title=TALK&tags=a&tags=b&pinned=false', { name: 'sessions', next: 'cursor' }, 2],
      ['/api/sessions/long/messages', { name: 'messages', next: 'from' }, 5],
      ['/api/sessions/long/files', { name: 'files', next: 'after' }, 1],
      ['/api/routes', { name: 'routes', next: 'after' }, 5],
      ['/api/routes?source=odd', { name: 'routes', next: 'after' }, 3],
      ['/api/runs', { name: 'runs', next: 'after' }, 3],
      ['/api/ledger', { name: 'entries', next: 'below' }, 3],
      ['/api/usage?by=model', { name: 'spending', next: 'after' }, 5],
      ['/api/usage?by=session', { name: 'spending', next: 'after' }, 5],
      ['/api/archive', { name: 'sessions', next: 'cursor' }, 0],
      ['/api/checkpoints', { name: 'checkpoints', next: 'after' }, 0],
      ['/api/cron', { name: 'jobs', next: 'after' }, 1],
      ['/api/audit?who=owner', { name: 'records', next: 'cursor' }, 22],
    ] as const;
    for (const [path, paging, count] of lists) {
      const { items, totals } = await walk(served, path, paging);
      expect([path, items.length, totals]).toEqual([path, count, [count]]);
      expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(count);
      const without = await served.ask(`${path}${path.includes('?') ? '&' : '?'}total=false`);
      expect([path, Object.hasOwn((await without.json()) as object, 'total')]).toEqual([path, false]);
    }
  });

  it('end where messages are long, and leave none of them out', async () => {
    const served = await serveHome();
    const { client } = served;
    await client.sessions.create({ id: 'long', source: 'api' });
    for (const letter of ['a', 'b', 'c'])
      await client.sessions.append('long', [{ role: 'user', content: letter.repeat(5 * 1024 * 1024) }]);
    const first = (await (await served.ask('/api/sessions/long/messages')).json()) as Listed & { messages: unknown[] };
    expect([first.messages.length, first.next, first.total]).toEqual([2, 3, 3]);
    const read: string[] = [];
    for await (const { content } of client.sessions.messages('long')) read.push(JSON.stringify(content).charAt(1));
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('are all lists of the API', async () => {
    const served = await serveHome();
    const { paths } = (await (await served.ask('/openapi.json')).json()) as {
      paths: Record<string, { get?: { parameters?: readonly { name: string }[] } }>;
    };
    for (const [path, { get }] of Object.entries(paths)) {
      const names = new Set((get?.parameters ?? []).map(({ name }) => name));
      // The best matches of a search come first, and nobody goes through all of them.
      if (!names.has('limit') || path === '/api/search') continue;
      expect([path, names.has('total')]).toEqual([path, true]);
      const refused = await served.ask(`${withId(path, 'none')}?limit=1001`);
      expect([path, refused.status]).toEqual([path, 400]);
    }
  });
});
