import { expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { collect, user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

it('a home that was closed says so to whoever goes on with it', async () => {
  const home = await openHome({ path: tempDir(), env: {} });
  const session = await home.sessions.create({ source: 'cli' });
  await session.append(user('hello'));
  await home.gateway.resolve({ key: 'cli:1', source: 'cli' });
  await home.close();
  const uses: Record<string, () => unknown> = {
    create: () => home.sessions.create({ source: 'cli' }),
    append: () => session.append(user('too late')),
    facts: () => session.facts(),
    messages: () => collect(session.messages()),
    list: () => collect(home.sessions.list()),
    search: () => home.sessions.search({ text: 'hello' }),
    usage: () => session.recordUsage({ model: 'm', inputTokens: 1 }),
    resolve: () => home.gateway.resolve({ key: 'cli:1', source: 'cli' }),
    spend: () => home.gateway.spend('day'),
    status: () => home.status(),
    plan: () => home.plan(),
    jobs: async () => (await home.scheduler()).tick(),
  };
  for (const [name, use] of Object.entries(uses)) {
    await expect(Promise.resolve().then(use), name).rejects.toMatchObject({
      name: 'Failure',
      code: 'refused',
      message: expect.stringContaining('This home was closed'),
    });
  }
  // Once more changes nothing.
  await home.close();
});
