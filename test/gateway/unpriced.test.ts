import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coppice } from '../e2e/run-coppice.ts';
import { startModelStub } from '../support/model-stub.ts';
import { tempDir } from '../support/temp-dir.ts';

const ENDLESS = fileURLToPath(new URL('../support/agents/endless-caller.js', import.meta.url));
const CLAUDE = fileURLToPath(new URL('../support/agents/claude.js', import.meta.url));
const UNKNOWN = 'What `claude-stub` costs is not known, so no limit in dollars can stop it';

/** Calls its model once, works for a while, and says so where Coppice speaks too. */
const ONE_CALL = `
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-stub', messages: [] }),
  });
  await answer.text();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  console.error('the agent has ended');
`;

async function scene() {
  const stub = await startModelStub();
  const config = tempDir();
  const env = { ANTHROPIC_BASE_URL: stub.url, ANTHROPIC_API_KEY: 'none', CLAUDE_CONFIG_DIR: config };
  const run = (...args: string[]) => coppice(join(tempDir(), 'home'), ['run', ...args], { env });
  return { stub, run };
}

describe('a limit in dollars on a model whose price is not known', () => {
  it('is said to hold nothing while the agent works, and when it has ended', async () => {
    const { stub, run } = await scene();
    const node = [process.execPath, '--input-type=module', '-e', ONE_CALL];
    const { code, stderr } = await run('--meter', '--max-usd', '1', '--', ...node);
    expect({ code, served: stub.served.length }).toEqual({ code: 0, served: 1 });
    expect(stderr.indexOf(UNKNOWN)).toBeGreaterThan(-1);
    expect(stderr.indexOf(UNKNOWN)).toBeLessThan(stderr.indexOf('the agent has ended'));
    expect(stderr).toContain('No price is known for claude-stub');
  });

  it('ends the run before its first call where usage is required', async () => {
    const { stub, run } = await scene();
    const { code, stderr } = await run('--meter', '--require-usage', '--max-usd', '1', '--', process.execPath, ENDLESS);
    expect({ code, served: stub.served.length }).toEqual({ code: 124, served: 0 });
    expect(stderr).toContain(`Stopped. ${UNKNOWN}`);
  });

  it('is said before the start where the command names the model, or the run does not start', async () => {
    const { run } = await scene();
    const named = ['--max-usd', '1', '--', CLAUDE, '1', '--model', 'claude-x-99'];
    const unknown = 'What `claude-x-99` costs is not known';
    const said = await run('--no-meter', ...named);
    expect(said).toMatchObject({ code: 0, stderr: expect.stringMatching(`^coppice: ${unknown}`) as string });
    const refused = await run('--no-meter', '--require-usage', ...named);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('It was not started.') as string });
    expect(refused.stderr).toContain('prices: { MODEL:');
    // Limits in tokens need no price.
    const inTokens = await run('--no-meter', '--require-usage', '--max-tokens', '50000', ...named.slice(2));
    expect(inTokens).toMatchObject({ code: 0, stderr: expect.not.stringContaining(unknown) as string });
  });
});
