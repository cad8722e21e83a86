import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { totalTokens } from '../../src/core/sessions/session.ts';
import { RUNS_VARIABLE } from '../../src/gateway/run/run-record.ts';
import { processesMarked } from '../../src/platform/machine/process-group.ts';
import { coppice, coppiceJson, sandbox } from '../e2e/run-coppice.ts';
import { collect } from '../support/collect.ts';
import { sessionSize } from '../../src/kit/store/asking.ts';

const event = (fields: object) => `echo '${JSON.stringify(fields)}' >&3`;
const forEver = (...lines: readonly string[]) => `while true; do ${lines.join('; ')}; done`;
const tool = (fields: object) => event({ coppice: 'tool', name: 'bash', ok: true, ...fields });
const ITERATION = event({ coppice: 'iteration' });

interface Way {
  /** What the agent does wrong. */
  readonly way: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly config?: object;
  /** Why its session must have ended. */
  readonly ended: RegExp;
  /** What it must be billed for, at least. */
  readonly billed: Partial<Record<'messages' | 'tokens' | 'iterations' | 'costUsd' | 'bytes' | 'wallMs', number>>;
}

const WAYS: readonly Way[] = [
  {
    way: 'takes hundreds of messages within a minute',
    script: forEver(event({ coppice: 'message', role: 'assistant', content: 'still here' })),
    ended: /^guard: messages-per-minute \(session\) 300 of 300$/,
    billed: { messages: 300 },
  },
  {
    way: 'uses millions of tokens within a minute',
    script: forEver(event({ coppice: 'usage', model: 'large', inputTokens: 500_000, outputTokens: 50_000 })),
    ended: /^guard: tokens-per-minute \(session\) 2200000 of 2000000$/,
    billed: { tokens: 2_200_000 },
  },
  {
    way: 'uses more tokens than its run may',
    script: forEver(event({ coppice: 'usage', model: 'large', inputTokens: 1000 })),
    args: ['--max-tokens', '5000'],
    ended: /^budget: tokens \(session\) 5000 of 5000$/,
    billed: { tokens: 5000 },
  },
  {
    way: 'uses more tokens than its source may in a day',
    script: forEver(event({ coppice: 'usage', model: 'large', inputTokens: 1000 })),
    config: { budgets: { source: { run: { tokens: 3000 } } } },
    ended: /^budget: tokens \(source\) 3000 of 3000$/,
    billed: { tokens: 3000 },
  },
  {
    way: 'costs more than it may, by the prices of the configuration',
    script: forEver(event({ coppice: 'usage', model: 'large', outputTokens: 20_000 })),
    args: ['--max-usd', '0.5'],
    config: { prices: { large: { input: 3, output: 15 } } },
    ended: /^budget: usd \(session\) 0\.6 of 0\.5$/,
    billed: { tokens: 40_000, costUsd: 0.6 },
  },
  {
    way: 'takes more steps than it may, and starts a process with each',
    script: forEver('sleep 300 & setsid sleep 300 & true', ITERATION),
    args: ['--max-iterations', '20'],
    ended: /^budget: iterations \(session\) 20 of 20$/,
    billed: { iterations: 20 },
  },
  {
    way: 'goes on when asked to end',
    script: `trap '' TERM; ${forEver(ITERATION, 'sleep 0.1')}`,
    args: ['--max-iterations', '3'],
    ended: /^budget: iterations \(session\) 3 of 3$/,
    billed: { iterations: 3 },
  },
  {
    way: 'says nothing and never ends',
    script: 'exec sleep 300',
    args: ['--max-minutes', '0.02'],
    ended: /^budget: minutes \(session\) [\d.]+ of 0\.02$/,
    billed: { wallMs: 1200 },
  },
  {
    way: 'floods its output',
    script: 'exec yes what an agent says when it is stuck in a loop',
    ended: /^guard: mb-per-minute \(session\) [\d.]+ of 20$/,
    billed: { bytes: 1000 },
  },
  {
    way: 'calls a tool that fails each time',
    script: forEver(tool({ ok: false })),
    ended: /^guard: tool-errors \(session\) 9 of 9$/,
    billed: {},
  },
  {
    way: 'calls nothing but one tool, where that was asked for,',
    config: { guards: { same_tool: { stop: 30 } } },
    script: `n=0; ${forEver('n=$((n+1))', `echo "{\\"coppice\\":\\"tool\\",\\"name\\":\\"bash\\",\\"ok\\":true,\\"args\\":{\\"n\\":$n}}" >&3`)}`,
    ended: /^guard: same-tool \(session\) 30 of 30$/,
    billed: {},
  },
  {
    way: 'makes the same call again and again, where that was asked for,',
    config: { guards: { repeated_calls: { stop: 8 } } },
    script: forEver(tool({ args: { command: 'ls' } })),
    ended: /^guard: repeated-calls \(session\) 8 of 8$/,
    billed: {},
  },
];

/** For all of them: what is to be done after one test is done after another where several run at once. */
const root = sandbox();

describe.concurrent('an agent under coppice run that', () => {
  it.each(WAYS)(
    '$way is stopped, billed and on record',
    { timeout: 120_000 },
    async ({ script, args = [], config, ended, billed }) => {
      const mark = randomUUID();
      const home = join(root, mark);
      mkdirSync(home, { mode: 0o700 });
      if (config !== undefined) writeFileSync(join(home, 'config.yaml'), JSON.stringify(config));
      const env = { [RUNS_VARIABLE]: mark };
      const { code, stderr } = await coppice(home, ['run', ...args, '--', 'sh', '-c', script], { env });
      expect([code, stderr]).toEqual([124, expect.stringContaining('coppice: Stopped. ')]);
      expect(processesMarked(mark)).toEqual([]);
      const [session] = await sessionsOf(home);
      expect(session).toMatchObject({ source: 'run', endReason: expect.stringMatching(ended) as string });
      const { spending } = await coppiceJson<{ spending: readonly Record<string, number>[] }>(home, [
        'budget',
        '--by',
        'session',
      ]);
      expect(spending).toHaveLength(1);
      expect(spending[0]).toMatchObject({ key: session?.id, tokens: session && totalTokens(session.usage) });
      expect(spending[0]?.['costUsd']).toBeCloseTo(session?.usage.costUsd ?? -1, 6);
      const counted: Record<string, number> = { ...spending[0], ...(session && sessionSize(session)) };
      for (const [counter, least] of Object.entries(billed)) expect(counted[counter]).toBeGreaterThanOrEqual(least);
    },
  );
});

async function sessionsOf(path: string) {
  await using home = await openHome({ path, env: {} });
  return collect(home.sessions.list());
}
