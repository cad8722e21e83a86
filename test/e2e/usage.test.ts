import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { buildHermesHome } from '../support/hermes-home.ts';
import BetterSqlite3 from 'better-sqlite3';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const root = sandbox();
const home = join(root, 'home');
const START = Date.parse('2026-01-20T12:00:00Z');

interface Report {
  readonly by: string;
  readonly timeZone: string;
  readonly totals: readonly {
    key: string;
    agent?: string;
    sessions: number;
    usage: { inputTokens: number; costUsd: number };
  }[];
  readonly total: { sessions: number; usage: { inputTokens: number; costUsd: number } };
  readonly unpricedModels: readonly { model: string; tokens: number }[];
}

const usage = async (...args: readonly string[]) => {
  const report = await coppiceJson<Report>(home, ['usage', ...args]);
  const lines = report.totals.map(({ key, sessions, usage: { inputTokens, costUsd } }) =>
    [key, sessions, inputTokens, costUsd].join(' '),
  );
  return { ...report, lines };
};

/** Sessions of Coppice on three days, and one of another agent. */
beforeAll(async () => {
  let now = START;
  await using open = await openHome({ path: home, env: {}, clock: { now: () => now } });
  for (const [id, model, workdir] of [
    ['one', 'gpt-5.5', '/work/red'],
    ['two', 'gpt-5.5', '/work/blue'],
    ['three', 'home-made', '/work/blue'],
  ] as const) {
    const session = await open.sessions.create({ id, source: 'cli', title: `About ${id}`, workdir });
    await session.append({ role: 'user', content: 'hello' });
    await session.recordUsage({ model, inputTokens: 1000, ...(model === 'gpt-5.5' && { costUsd: 0.25 }) });
    await session.end('done');
    now += 20 * DAY_MS;
  }
  const theirs = join(root, '.hermes');
  buildHermesHome(theirs, { sessions: [{ id: 'theirs', startedAt: START, messages: ['a'], cwd: '/work/red' }] });
  const db = new BetterSqlite3(join(theirs, 'state.db'));
  db.exec(`UPDATE sessions SET input_tokens = 50, estimated_cost_usd = 0.5, model = 'm' WHERE id = 'theirs'`);
  db.close();
});

const ALL = ['2026-03-01 1 1000 0', '2026-02-09 1 1000 0.25', '2026-01-20 2 1050 0.75'];

describe('coppice usage', () => {
  it('adds up what all agents used, by day, with the zone in which days begin', async () => {
    const { code, stdout, stderr } = await coppice(home, ['usage']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^4 sessions: 3,050 tokens, \$1\.00\n\nDAY +SESSIONS +INPUT +OUTPUT +CACHE READ +CACHE WRITE +COST\n/,
    );
    expect(stdout).toMatch(/\n2026-03-01 +1 +1\.0k +0 +0 +0 +\?\n/);
    expect(stdout).toMatch(/\nDays begin at midnight in UTC\.\n$/);
    expect(stderr).toBe('\nNo price is known for home-made, so it counts as $0. Set it under prices in config.yaml.\n');
    expect(await usage()).toMatchObject({ by: 'day', timeZone: 'UTC', lines: ALL });
  });

  it.each([
    ['week', ['2026-W09 1 1000 0', '2026-W07 1 1000 0.25', '2026-W04 2 1050 0.75']],
    ['month', ['2026-03 1 1000 0', '2026-02 1 1000 0.25', '2026-01 2 1050 0.75']],
    ['model', ['gpt-5.5 2 2000 0.5', 'm 1 50 0.5', 'home-made 1 1000 0']],
    ['project', ['/work/red 2 1050 0.75', '/work/blue 2 2000 0.25']],
    ['agent', ['coppice 3 3000 0.5', 'hermes 1 50 0.5']],
    ['session', ['theirs 1 50 0.5', 'one 1 1000 0.25', 'two 1 1000 0.25', 'three 1 1000 0']],
  ])('adds up by %s', async (by, lines) => {
    expect((await usage('--by', by)).lines).toEqual(lines);
  });

  it('takes whole days, and only the home that is named', async () => {
    expect((await usage('--since', '2026-02-09')).lines).toEqual(ALL.slice(0, 2));
    expect((await usage('--since', '2026-02-09', '--before', '2026-03-01')).lines).toEqual(ALL.slice(1, 2));
    expect((await usage('--home', join(root, '.hermes'), '--by', 'agent')).lines).toEqual(['hermes 1 50 0.5']);
  });

  it('prices what had no price once config.yaml has one', async () => {
    const set = ['--set', 'prices={home-made: {input: 2, output: 2}}'];
    expect((await usage('--by', 'model', '--home', home, ...set)).unpricedModels).toEqual([]);
    expect((await usage('--since', '2026-03-01')).lines).toEqual(['2026-03-01 1 1000 0.002']);
  });

  it('is right about last month although its sessions and homes are gone, and no longer says where they worked once they are purged', async () => {
    await coppice(home, ['sessions', 'delete', 'one', '--yes']);
    await coppice(home, ['sessions', 'archive', '--older-than', '1d', '--yes']);
    rmSync(join(root, '.hermes'), { recursive: true });
    const lines = ['2026-03-01 1 1000 0.002', ...ALL.slice(1)];
    expect((await usage()).lines).toEqual(lines);
    const files = () => readdirSync(home).filter((name) => name.startsWith('usage.db'));
    const holds = (word: string) => files().some((name) => readFileSync(join(home, name)).includes(word));
    expect(holds('/work/blue')).toBe(true);
    expect((await coppice(home, ['sessions', 'delete', 'two', 'three', '--purge', '--yes'])).code).toBe(0);
    expect(holds('/work/blue')).toBe(false);
    expect((await usage()).lines).toEqual(lines);
    expect((await usage('--by', 'project')).lines).toContain('unknown 2 2000 0.252');
  });
});
