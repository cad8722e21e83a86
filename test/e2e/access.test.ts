import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const home = join(sandbox(), 'home');

beforeAll(async () => {
  await coppice(home, ['config', 'init']);
});

it('tokens are made, listed and revoked, each on record', async () => {
  const made = await coppice(home, ['token', 'create', 'ci', '--scope', 'append,read', '--expires', '30d']);
  expect(made.stdout).toMatch(/^coppice_[\w-]{43}\n$/);
  expect(made.stderr).toContain('It is shown this once');
  expect((await coppice(home, ['token', 'list'])).stdout).toMatch(/^ci +read, append /m);
  const { tokens } = await coppiceJson<{ tokens: object[] }>(home, ['token', 'list']);
  expect(tokens).toEqual([
    {
      name: 'ci',
      scopes: ['read', 'append'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      expired: false,
    },
  ]);
  expect((await coppice(home, ['token', 'revoke', 'ci'])).code).toBe(0);
  expect((await coppice(home, ['token', 'revoke', 'ci'])).code).toBe(10);
  const { records } = await coppiceJson<{ records: object[] }>(home, ['audit']);
  expect(records).toMatchObject([
    { via: 'command', what: 'token revoke', subject: 'ci', outcome: 'done' },
    { via: 'command', what: 'token create', subject: 'ci', detail: expect.stringMatching(/^read, append until 20/) },
  ]);
  expect(JSON.stringify(records)).not.toContain(made.stdout.trim().slice(8));
  expect((await coppice(home, ['audit', '--who', 'nobody'])).stdout).toContain('Nothing on record matches');
  expect((await coppice(home, ['audit'])).stdout).toMatch(/token create +ci \(read, append until .* done$/m);
});

it('a name that is taken, a scope that is none and a time that is over are refused with the next step', async () => {
  await coppice(home, ['token', 'create', 'taken', '--scope', 'run']);
  const refused = async (...words: string[]) => {
    const { code, stdout, stderr } = await coppice(home, ['token', 'create', ...words]);
    return { code, stdout, stderr };
  };
  expect(await refused('taken', '--scope', 'read')).toMatchObject({ code: 5, stdout: '' });
  expect(await refused('x', '--scope', 'write')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Choose one of: read'),
  });
  expect(await refused('x', '--scope', 'read', '--expires', '2020-01-01')).toMatchObject({ code: 2 });
  expect(await refused('x', '--scope', 'read', '--expires', '0d')).toMatchObject({ code: 2 });
  expect(await refused('owner', '--scope', 'read')).toMatchObject({ code: 2 });
  expect(await refused('a/b', '--scope', 'read')).toMatchObject({ code: 2 });
});
