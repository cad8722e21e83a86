import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const root = sandbox();
const home = join(root, 'home');

let now = Date.parse('2026-01-20T12:00:00Z');
let lastRun = '';

/** Sessions of two sources and models in two months, of which one is still there. */
beforeAll(async () => {
  await using open = await openHome({ path: home, env: {}, clock: { now: () => now } });
  for (const [id, source, model] of [
    ['january', 'cli', 'large'],
    ['february', 'cron', 'small'],
    ['both', 'cli', 'large'],
    ['stays', 'cli', 'large'],
  ] as const) {
    const session = await open.sessions.create({ id, source, ...(id !== 'february' && { title: `The ${id} one` }) });
    await session.append({ role: 'user', content: 'a secret word' });
    await session.recordUsage({ model, inputTokens: 1000, outputTokens: 200, costUsd: 0.1 });
    if (id === 'both') await session.recordUsage({ model: 'small', inputTokens: 50, costUsd: 0.2 });
    await session.end('done');
    now += 15 * DAY_MS;
  }
  await open.apply(await open.plan({ kind: 'delete', ids: ['january', 'february'] }));
  lastRun = (await open.apply(await open.plan({ kind: 'delete', ids: ['both'] }))).run.id;
});

interface Totals {
  readonly by: string;
  readonly totals: readonly { key: string; sessions: number; usage: { inputTokens: number; costUsd: number } }[];
  readonly total: { sessions: number; usage: { costUsd: number } };
}

const totals = async (...args: readonly string[]) => {
  const document = await coppiceJson<Totals>(home, ['ledger', ...args]);
  return {
    ...document,
    lines: document.totals.map(
      ({ key, sessions, usage }) => `${key} ${sessions} ${usage.inputTokens} ${usage.costUsd}`,
    ),
  };
};

describe('coppice ledger', () => {
  it('lists what removed sessions had used, the last to go first, and nothing of what they said', async () => {
    const { code, stdout } = await coppice(home, ['ledger']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^3 removed sessions: 3,650 tokens, \$0\.50\n\nSTARTED +REMOVED +SOURCE +MODEL +TOKENS +COST +TITLE\n/,
    );
    const [both = '', february = '', january = ''] = stdout.split('\n').slice(3);
    expect(both).toMatch(/^2026-02-19 .* cli +small, large +1\.3k +\$0\.30 +The both one$/);
    expect(february).toMatch(/^2026-02-04 .* cron +small +1\.2k +\$0\.10 +february$/);
    expect(january).toMatch(/^2026-01-20 .* cli +large +1\.2k +\$0\.10 +The january one$/);
    expect(stdout).not.toContain('secret');
  });

  it('gives programs every figure', async () => {
    const { entries } = await coppiceJson<{ entries: readonly object[] }>(home, ['ledger', '--source', 'cron']);
    expect(entries).toMatchObject([
      {
        id: 'february',
        source: 'cron',
        startedAt: '2026-02-04T12:00:00.000Z',
        messageCount: 1,
        usage: { inputTokens: 1000, outputTokens: 200, costUsd: 0.1 },
        usageByModel: [{ model: 'small', inputTokens: 1000 }],
      },
    ]);
  });

  it('adds up by day, month, model and source', async () => {
    expect((await totals('--by', 'day')).lines).toEqual([
      '2026-02-19 1 1050 0.3',
      '2026-02-04 1 1000 0.1',
      '2026-01-20 1 1000 0.1',
    ]);
    expect((await totals('--by', 'month')).lines).toEqual(['2026-02 2 2050 0.4', '2026-01 1 1000 0.1']);
    expect((await totals('--by', 'source')).lines).toEqual(['cli 2 2050 0.4', 'cron 1 1000 0.1']);
    const byModel = await totals('--by', 'model');
    expect(byModel.lines).toEqual(['small 2 1050 0.3', 'large 2 2000 0.2']);
    expect(byModel.total).toMatchObject({ sessions: 3, usage: { costUsd: 0.5 } });
    expect((await totals('--by', 'month', '--limit', '1')).lines).toHaveLength(1);
    const { stdout } = await coppice(home, ['ledger', '--by', 'month']);
    expect(stdout).toMatch(/^MONTH +SESSIONS +MESSAGES +TOKENS +COST\n2026-02 +2 +2 +2\.5k +\$0\.40$/m);
  });

  it('narrows down by source and time, shows less when asked, and says when nothing is there', async () => {
    expect((await totals('--by', 'source', '--since', '2026-02-01', '--before', '2026-02-10')).lines).toEqual([
      'cron 1 1000 0.1',
    ]);
    const few = await coppice(home, ['ledger', '--limit', '1']);
    expect(few.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(few.stderr).toContain('There are more. Add --limit 5');
    expect((await coppice(home, ['ledger', '--source', 'nobody'])).stdout).toMatch(
      /^No removed session matches\..*coppice ledger\n$/,
    );
    const empty = await coppice(join(root, 'empty'), ['ledger']);
    expect(empty.stdout).toMatch(/^No session was removed yet\.\n/);
    expect((await coppice(home, ['ledger', '--by', 'week'])).code).toBe(2);
  });

  it('leaves out what was given back', async () => {
    {
      await using open = await openHome({ path: home, env: {}, clock: { now: () => now } });
      await open.undo(lastRun);
    }
    expect((await totals('--by', 'source')).total.sessions).toBe(2);
  });
});
