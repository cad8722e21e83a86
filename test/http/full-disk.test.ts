import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freeBytes } from '../../src/platform/machine/file-system-facts.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';
import { json, serveHome } from './serve-home.ts';

const PATIENCE = { timeout: 30_000 };

it.skipIf(!CAN_MOUNT)('a full disk is said as one, by readyz too, until there is room again', async () => {
  const disk = smallDisk('24m');
  const { ask, client } = await serveHome({ path: join(disk, 'home') });
  const { id } = await client.sessions.create({ source: 'api' });
  const append = (content: string) =>
    ask(`/api/sessions/${id}/messages`, json('POST', { messages: [{ role: 'user', content }] }));
  expect((await ask('/readyz')).status).toBe(200);
  writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, freeBytes(disk) - 256 * 1024)));
  const refused = await append('x'.repeat(2 * 1024 * 1024));
  expect(refused.status).toBe(507);
  expect(await refused.json()).toMatchObject({ error: { code: 'no-space' } });
  await expect.poll(async () => (await ask('/readyz')).status, PATIENCE).toBe(503);
  rmSync(join(disk, 'filler'));
  await expect.poll(async () => (await ask('/readyz')).status, PATIENCE).toBe(200);
  expect((await append('there is room')).status).toBe(201);
});
