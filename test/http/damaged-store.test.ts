import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { MISHAPS } from '../support/mishaps.ts';
import { tempDir } from '../support/temp-dir.ts';
import { json, serveHome } from './serve-home.ts';

it('damage that a request meets is said as damage, with what to do, and without what SQLite says', async () => {
  const path = join(tempDir(), 'home');
  // What was written lately is in the log. A home that was closed has all of it in the database.
  const before = await openHome({ path, env: {} });
  const session = await before.sessions.create({ source: 'api' });
  await session.append({ role: 'user', content: 'x'.repeat(100_000) });
  const { id } = session;
  await before.close();
  const { ask, said } = await serveHome({ path });
  MISHAPS.damaged(join(path, 'state.db'));
  const failed = [
    await ask('/api/sessions'),
    await ask(`/api/sessions/${id}/messages`),
    await ask(`/api/sessions/${id}/messages`, json('POST', { messages: [{ role: 'user', content: 'y' }] })),
    await ask('/api/search?q=x'),
  ];
  for (const response of failed) {
    const { error } = (await response.json()) as { error: Record<string, string> };
    expect([response.url, response.status, error['code']]).toEqual([response.url, 500, 'integrity']);
    expect(error['hint']).toContain('coppice doctor');
    expect(JSON.stringify(error)).not.toMatch(/SQL|malformed|state\.db/);
  }
  // Why is in the log.
  expect(said.join('\n')).toMatch(/SQLITE_CORRUPT|malformed/);
});
