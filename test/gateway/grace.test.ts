import { describe, expect, it } from 'vitest';
import type { AgentRun } from '../../src/app/gateway/run-agent.ts';
import { openHome } from '../../src/app/open-home.ts';
import { processesMarked } from '../../src/platform/machine/process-group.ts';
import { tempDir } from '../support/temp-dir.ts';

const SETTINGS = [
  { key: 'guards.messages_per_minute', value: 'never' },
  { key: 'limits.messages', value: '50' },
];

async function run(script: string, over: Partial<AgentRun> = {}) {
  await using home = await openHome({ path: tempDir(), env: {}, settings: SETTINGS });
  const startedAt = performance.now();
  const mark = `grace-test-${Math.random()}`;
  const env = { ...process.env, COPPICE_TEST_MARK: mark };
  const result = await home.gateway.run({ command: 'sh', args: ['-c', script], cwd: home.path, env, ...over });
  return { ...result, tookMs: performance.now() - startedAt, left: processesMarked(mark) };
}

const event = (fields: object) => `echo '${JSON.stringify(fields)}' >&3`;
const CALL = event({ coppice: 'usage', model: 'm', inputTokens: 1000, costUsd: 0.01 });
const MESSAGE = event({ coppice: 'message', role: 'assistant', content: 'more' });
const goOn = (what: string) => `trap '' TERM; while true; do ${what}; sleep 0.1; done`;

describe('an agent that ignores the request to end', () => {
  it('is killed as soon as it has used a tenth of its limit more, not after ten seconds', async () => {
    const { used, signal, cause, tookMs } = await run(goOn(CALL), { maxTokens: 5000 });
    expect({ signal, cause: cause.kind }).toEqual({ signal: 'SIGKILL', cause: 'stopped' });
    // The call that reached the limit, and the one that used up the grace; one more may have been on its way.
    expect(used.tokens).toBeLessThanOrEqual(7000);
    expect(tookMs).toBeLessThan(8000);
  });

  it('is killed for dollars as for tokens', async () => {
    const { used, signal } = await run(goOn(CALL), { maxUsd: 0.05 });
    expect(signal).toBe('SIGKILL');
    expect(used.nanoUsd).toBeLessThanOrEqual(7e7);
  });

  it('leaves no more messages than its grace, however fast it writes them', async () => {
    const { session, signal, stats } = await run(`trap '' TERM; while true; do ${MESSAGE}; done`);
    expect(signal).toBe('SIGKILL');
    expect(session.messageCount).toBeLessThanOrEqual(55);
    expect(stats.problems.join()).toContain('came after the run was killed');
  });

  it.skipIf(process.platform !== 'linux')(
    'is killed together with what it started, in its group or out of it',
    async () => {
      const child = `trap '' TERM; while true; do ${CALL}; sleep 0.1; done`;
      const script = `(${child}) & setsid sh -c "${child.replaceAll('"', '\\"')}" & exit 0`;
      const { used, left, tookMs } = await run(script, { maxTokens: 5000 });
      expect(left).toEqual([]);
      // They have the grace of what is left behind: a tenth of the limit, and what two of them had on its way.
      expect(used.tokens).toBeLessThanOrEqual(4000);
      expect(tookMs).toBeLessThan(8000);
    },
  );

  it('has ten seconds where it uses nothing', async () => {
    const script = `${CALL}; trap 'sleep 1; echo bye; exit 0' TERM; sleep 60 & wait`;
    const { exitCode, cause, session } = await run(script, { maxTokens: 1000 });
    expect({ exitCode, cause: cause.kind }).toEqual({ exitCode: 0, cause: 'stopped' });
    expect(session.outputCount).toBe(1);
  });
});
