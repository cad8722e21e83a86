import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../capture-io.ts';
import { serveHome, TOKEN } from './serve-home.ts';

const WORDS = ['wobblegong', 'zephyrous', 'bramblewick'];

/** Those of the words that stand in any file of the home, with the file. */
function found(home: string): string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    return WORDS.filter((word) => bytes.includes(Buffer.from(word))).map((word) => `${word} in ${name}`);
  });
}

it('what is removed for good over HTTP leaves no word in any file of the home, nor in answers that are kept', async () => {
  const { home, client, server, ask } = await serveHome({ settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
  const made = {
    method: 'POST',
    body: JSON.stringify({ source: 'api', title: 'wobblegong' }),
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
  };
  const { id } = (await (await ask('/api/sessions', made)).json()) as { readonly id: string };
  await client.sessions.append(id, [{ role: 'user', content: 'bramblewick' }]);
  await client.sessions.change(id, { title: 'zephyrous' });
  await client.sessions.end(id, 'done');
  expect(found(home.path).length).toBeGreaterThan(0);
  const { io, err } = captureIo({ env: { COPPICE_TOKEN: TOKEN } });
  const code = await main(['--remote', server.url, 'sessions', 'delete', id, '--purge', '--yes'], io);
  expect({ code, err: err() }).toEqual({ code: 0, err: '' });
  expect(found(home.path)).toEqual([]);
  // Its id stays, where it is said who removed it and what it had used.
  for (const path of ['/api/audit', '/api/ledger']) expect(await (await ask(path)).text()).toContain(id);
  // Whoever asks again for what was done to it learns that it was done, and begins nothing anew.
  const again = await ask('/api/sessions', made);
  expect(again.status).toBe(404);
});
