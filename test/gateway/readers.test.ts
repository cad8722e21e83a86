import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coppice, coppiceJson, start } from '../e2e/run-coppice.ts';
import { startModelStub } from '../support/model-stub.ts';
import { tempDir } from '../support/temp-dir.ts';

const AGENT = fileURLToPath(new URL('../support/agents/claude.js', import.meta.url));
const CALL_TOKENS = 1050;

function scene() {
  const base = tempDir();
  const config = join(base, 'claude');
  mkdirSync(config);
  return { home: join(base, 'home'), config, env: { CLAUDE_CONFIG_DIR: config } };
}

async function spent(home: string): Promise<number> {
  const { spending } = await coppiceJson<{ spending: readonly { tokens: number }[] }>(home, ['budget']);
  return spending.reduce((sum, { tokens }) => sum + tokens, 0);
}

interface RunDocument {
  readonly used: { readonly tokens: number };
  readonly usageFrom?: string;
  readonly session: { readonly usage: { readonly inputTokens: number } };
}

describe('a run that is not metered', () => {
  it('is stopped by what the agent writes down itself, and says that this comes after the fact', async () => {
    const { home, env } = scene();
    const args = ['run', '--no-meter', '--max-tokens', '5000', '--', AGENT, 'Infinity', 'slow'];
    const { code, stderr } = await coppice(home, args, { env });
    expect({ code, stderr }).toMatchObject({
      code: 124,
      stderr: expect.stringMatching(/5,250 tokens of 5,000/) as string,
    });
    expect(stderr).toContain('read from what it writes itself, so a limit may be passed by one call');
    expect(stderr).toContain('No price is known for claude-stub');
    const tokens = await spent(home);
    expect(tokens % CALL_TOKENS).toBe(0);
    expect(tokens).toBeLessThan(5000 + 4 * CALL_TOKENS);
    expect((await coppice(home, ['budget'])).stdout).toContain('No price is known for claude-stub');
  });

  it('counts a call once that is written twice and printed as well, in the session and in the budgets', async () => {
    const { home, env } = scene();
    const args = ['run', '--json', '--', AGENT, '3', '--output-format', 'stream-json'];
    const { stdout } = await coppice(home, args, { env });
    const document = JSON.parse(stdout) as RunDocument;
    expect(document).toMatchObject({ usageFrom: 'files', used: { tokens: 3 * CALL_TOKENS } });
    expect(document.session.usage.inputTokens).toBe(3000);
    expect(await spent(home)).toBe(3 * CALL_TOKENS);
  });

  it.each([
    {
      start: ['codex', 'exec', '--json', 'x'],
      prints: { type: 'turn.completed', usage: { input_tokens: 900, cached_input_tokens: 100, output_tokens: 100 } },
    },
    {
      start: ['gemini', '-p', 'x', '-o', 'stream-json'],
      prints: {
        type: 'result',
        stats: { models: { m: { total_tokens: 1000, input_tokens: 700, output_tokens: 50 } } },
      },
    },
    {
      start: ['pi', '--mode', 'json', 'x'],
      prints: {
        type: 'message_end',
        message: { role: 'assistant', model: 'm', responseId: 'r', usage: { input: 900, output: 100 } },
      },
    },
  ])(
    'counts what $start.0 prints about its calls where it writes nothing',
    async ({ start: [agent = '', ...args], prints }) => {
      const { home } = scene();
      const program = join(home, '..', agent);
      writeFileSync(program, `#!/bin/sh\necho '${JSON.stringify(prints)}'\n`, { mode: 0o700 });
      const { stdout } = await coppice(home, ['run', '--json', '--', program, ...args]);
      expect(JSON.parse(stdout)).toMatchObject({ used: { tokens: 1000 } });
      expect(await spent(home)).toBe(1000);
    },
  );

  it('counts each call once where two runs of an agent work in one folder, for the session of one of them', async () => {
    const { home, env } = scene();
    const run = ['run', '--json', '--', AGENT, '3', 'slow'];
    const both = await Promise.all([coppice(home, run, { env }), coppice(home, run, { env })]);
    const used = both.map(({ stdout }) => (JSON.parse(stdout) as RunDocument).session.usage.inputTokens);
    expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBe(6000);
    expect(await spent(home)).toBe(6 * CALL_TOKENS);
  });

  it('counts nothing from files that a meter has counted', async () => {
    const { home, env } = scene();
    const stub = await startModelStub();
    const args = ['run', '--max-tokens', '5000', '--', AGENT, 'Infinity', 'call'];
    const { code } = await coppice(home, args, { env: { ...env, ANTHROPIC_BASE_URL: stub.url } });
    expect(code).toBe(124);
    expect(await spent(home)).toBe(stub.served.length * CALL_TOKENS);
  });

  it('whose supervisor was killed is counted by whoever comes next, and by the one after that not again', async () => {
    const { home, config, env } = scene();
    const run = start(home, ['run', '--no-meter', '--', AGENT, '4', 'wait'], { env });
    const written = () => readdirSync(config, { recursive: true }).length > 2;
    await expect.poll(written, { timeout: 20_000 }).toBe(true);
    run.kill('SIGKILL');
    await once(run, 'exit');
    // The agent has written all of its calls, or as many as it could before it was ended with its supervisor.
    await coppice(home, ['doctor']);
    const tokens = await spent(home);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens % CALL_TOKENS).toBe(0);
    await coppice(home, ['doctor']);
    expect(await spent(home)).toBe(tokens);
    const { sessions } = await coppiceJson<{ sessions: readonly { usage: { inputTokens: number } }[] }>(home, [
      'sessions',
      'list',
    ]);
    expect(sessions[0]?.usage.inputTokens).toBe((tokens / CALL_TOKENS) * 1000);
  });
});

describe('a limit that nobody can keep', () => {
  it('is said at the start of the run and at its end', async () => {
    const { home } = scene();
    const { code, stderr } = await coppice(home, ['run', '--max-usd', '1', '--', 'true']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^coppice: It is not known how true tells what it uses\. .* coppice run --meter\n/);
    expect(stderr).toContain('Nothing told what the agent used');
    expect((await coppice(home, ['run', '--', 'true'])).stderr).not.toMatch(/known|told/);
  });

  it('refuses the start where usage is required, and leaves no session behind', async () => {
    const { home } = scene();
    const refused = await coppice(home, [
      'run',
      '--max-tokens',
      '5',
      '--require-usage',
      '--',
      'touch',
      join(home, 'x'),
    ]);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('was not started') as string });
    expect(refused.stderr).toContain('--meter');
    const { sessions } = await coppiceJson<{ sessions: readonly unknown[] }>(home, ['sessions', 'list']);
    expect(sessions).toEqual([]);
  });

  it('fails at the end where usage is required and a known agent told nothing, also with --json', async () => {
    const { home, env } = scene();
    const args = ['run', '--no-meter', '--max-tokens', '5000', '--require-usage', '--', AGENT, '0'];
    expect((await coppice(home, args, { env })).code).toBe(5);
    expect((await coppice(home, ['--json', ...args], { env })).code).toBe(5);
  });
});
