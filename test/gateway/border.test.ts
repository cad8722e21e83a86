import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { CALL_TOKENS, startModelStub } from '../support/model-stub.ts';
import { tempDir } from '../support/temp-dir.ts';

const AGENT = fileURLToPath(new URL('../support/agents/border-agent.js', import.meta.url));
const OWNER_TOKEN = 'o'.repeat(43);

interface Tried {
  readonly meter: string;
  readonly metered: number;
  readonly refused: readonly number[];
  readonly besides: number;
  readonly readsToken: boolean;
  readonly knowsSecret: boolean;
}

/** A home with a token and a secret, and an agent in it that tries what it can. */
async function tryBorder(...args: string[]) {
  const stub = await startModelStub();
  const home = join(tempDir(), 'home');
  await coppice(home, ['config', 'init']);
  writeFileSync(join(home, 'config.yaml'), 'webhooks: { secret_env: HOOK_SECRET }\n', { mode: 0o600 });
  writeFileSync(join(home, 'token'), OWNER_TOKEN, { mode: 0o600 });
  const env = {
    ANTHROPIC_BASE_URL: stub.url,
    WITHOUT_METER: stub.url,
    OWNER_TOKEN: join(home, 'token'),
    HOOK_SECRET: 'secret-of-webhooks',
  };
  const { code, stdout, stderr } = await coppice(home, ['run', ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr });
  const tried = JSON.parse(/^TRIED (.*)$/m.exec(stdout)?.[1] ?? '{}') as Tried;
  const { spending } = await coppiceJson<{ spending: readonly { tokens: number }[] }>(home, ['budget']);
  return { stub, home, stdout, stderr, tried, booked: spending.reduce((sum, { tokens }) => sum + tokens, 0) };
}

describe('between an agent and its supervisor', () => {
  it('stands a meter for this agent alone, which counts what goes through it and nothing else', async () => {
    const { tried, booked, stub } = await tryBorder('--meter', '--', process.execPath, AGENT, '--own');
    expect(new URL(tried.meter).hostname).toBe('127.0.0.1');
    expect(tried).toMatchObject({ metered: 200, refused: [404, 404, 404] });
    // It can go another way, as the page on security says. What the meter counts is not counted again by what the agent tells.
    expect([tried.besides, stub.served.length, booked]).toEqual([200, 2, CALL_TOKENS]);
    await expect(fetch(`${tried.meter}/v1/messages`, { method: 'POST' })).rejects.toThrow('fetch failed');
  });

  it('passes a key on and keeps it nowhere, nor the secret of the meter in what is on record', async () => {
    const { home, stub, stderr } = await tryBorder('--meter', '--', process.execPath, AGENT);
    expect(stub.served.map(({ headers }) => headers['x-api-key'])).toEqual(Array(2).fill('sk-secret-of-the-user'));
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
    expect(`${kept}${stderr}`).not.toContain('sk-secret-of-the-user');
    expect(kept).not.toContain('secret-of-webhooks');
  });

  it('stands no wall: the agent reads what its user may read. But it is not handed the secret of webhooks', async () => {
    const { tried } = await tryBorder('--meter', '--', process.execPath, AGENT);
    expect(tried).toMatchObject({ readsToken: true, knowsSecret: false });
  });

  it('counts no line that is merely printed, and one with the nonce of the run', async () => {
    const printed = await tryBorder('--', process.execPath, AGENT);
    expect([printed.booked, printed.tried.metered]).toEqual([0, 200]);
    expect(printed.stdout).toContain('"nonce":"guessed"');
    expect((await tryBorder('--', process.execPath, AGENT, '--own')).booked).toBe(1000);
  });
});
