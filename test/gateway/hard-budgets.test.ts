import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A home on which the sessions of one source may use so many tokens in a day. */
function homeWithBudget(tokens: number): string {
  const home = join(tempDir(), 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `budgets: { source: { team: { tokens: ${tokens} } } }\n`, { mode: 0o600 });
  return home;
}

/** An agent that makes one call, and says afterwards what it used. */
const CALL = `sleep 0.3; echo '{"coppice":"usage","model":"m","inputTokens":3000}' >&3`;
const run = (home: string) => coppice(home, ['run', '--source', 'team', '--', 'sh', '-c', CALL]);

async function usedBy(home: string): Promise<number> {
  const document = await coppiceJson<{ spending: readonly { tokens: number }[] }>(home, ['budget', '--by', 'source']);
  return document.spending[0]?.tokens ?? 0;
}

describe('a budget of several runs', () => {
  it('lets no run start once it is used up, and says what is used, of what, and until when', async () => {
    const home = homeWithBudget(5000);
    expect([(await run(home)).code, (await run(home)).code]).toEqual([0, 124]);
    const refused = await run(home);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(
      /The sessions of this source have today used 6,000 tokens of 5,000 tokens\.[^]*until \d{4}-\d\d-\d\dT00:00:00/,
    );
    expect(await usedBy(home)).toBe(6000);
    const { sessions } = await coppiceJson<{ sessions: readonly object[] }>(home, ['sessions', 'list']);
    expect(sessions).toHaveLength(2);
  });

  it('is never overspent by runs side by side: each sets aside what it will need before it starts', async () => {
    const home = homeWithBudget(10_000);
    const runs = await Promise.all(Array.from({ length: 5 }, () => run(home)));
    expect(await usedBy(home)).toBeLessThanOrEqual(10_000);
    expect(runs.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    expect(new Set(runs.map(({ code }) => code))).toEqual(new Set([0, 5]));
    // What was set aside was given back: the next one finds the rest of the budget.
    expect([0, 124]).toContain((await run(home)).code);
  });

  it('is shared out by the limits that runs side by side were given, and passed by less than one call', async () => {
    const home = homeWithBudget(10_000);
    const go = join(home, '..', 'go');
    const calls = `while [ ! -e '${go}' ]; do sleep 0.1; done; ${CALL}; ${CALL}`;
    const limited = () => coppice(home, ['run', '--source', 'team', '--max-tokens', '6000', '--', 'sh', '-c', calls]);
    const codes: (number | null)[] = [];
    const runs = Array.from({ length: 4 }, async () => void codes.push((await limited()).code));
    // The one that began has all of its 6,000 tokens set aside until it ends, so none of the others fits beside it.
    await expect.poll(() => codes, { timeout: 60_000 }).toEqual([5, 5, 5]);
    writeFileSync(go, '');
    await Promise.all(runs);
    expect(codes).toEqual([5, 5, 5, 124]);
    const late = await limited();
    expect(late.stderr).toContain('they come after a call, so a limit may be passed by one');
    expect(late.code).toBe(124);
    expect(await usedBy(home)).toBe(12_000);
    expect((await limited()).code).toBe(5);
  });

  it('is not touched by what an agent merely prints', async () => {
    const home = homeWithBudget(10_000);
    const file = join(home, '..', 'printed.txt');
    writeFileSync(file, `{"coppice":"usage","model":"m","inputTokens":${Number.MAX_SAFE_INTEGER}}\n`);
    expect((await coppice(home, ['run', '--source', 'team', '--', 'cat', file])).code).toBe(0);
    expect(await usedBy(home)).toBe(0);
    expect((await run(home)).code).toBe(0);
  });

  it('says what is left, and takes a false report back, on record', async () => {
    const home = homeWithBudget(10_000);
    await run(home);
    const left = async () => {
      const { budgets } = await coppiceJson<{ budgets: readonly object[] }>(home, ['budget']);
      return budgets;
    };
    const limit = { scope: 'source', key: 'team', of: 'tokens', limit: 10_000, reserved: 0 };
    expect(await left()).toMatchObject([{ ...limit, used: 3000, left: 7000 }]);
    const { sessions } = await coppiceJson<{ sessions: readonly { id: string }[] }>(home, ['sessions', 'list']);
    const args = ['budget', 'correct', sessions[0]?.id ?? '', '--tokens', '3000', '--reason', 'counted twice'];
    const { corrections } = await coppiceJson<{ corrections: readonly object[] }>(home, args);
    expect(corrections).toMatchObject([{ tokens: 3000, reason: 'counted twice', by: userInfo().username }]);
    expect(await left()).toMatchObject([{ ...limit, used: 0, left: 10_000 }]);
  });

  it('says when nothing told what was used, and fails for it where that is asked for', async () => {
    const home = join(tempDir(), 'home');
    const args = (...more: string[]) => ['run', '--max-tokens', '5000', ...more, '--', 'true'];
    const told = await coppice(home, args());
    expect(told).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Nothing told what the agent used') as string,
    });
    expect((await coppice(home, args('--require-usage'))).code).toBe(5);
  });

  it('says once why it was stopped, and last how to go on', async () => {
    const report = (tokens: number) => `echo '{"coppice":"usage","model":"m","inputTokens":${tokens}}' >&3`;
    const agent = ['sh', '-c', `${report(4500)}; sleep 0.5; ${report(1500)}; sleep 30`];
    const place = join(tempDir(), 'home');
    const { code, stderr } = await coppice(place, ['run', '--max-tokens', '5000', '--', ...agent]);
    expect(code).toBe(124);
    expect(stderr.replace(/Session \S+:/, 'Session ID:').split('\n')).toEqual([
      'coppice: It is not known how sh tells what it uses. Unless it sends events, no limit in tokens or dollars can stop it; they come after a call, so a limit may be passed by one. Count it with: coppice run --meter',
      'coppice: This session has used 4,500 tokens of 5,000 tokens.',
      'coppice: Stopped. This session has used 6,000 tokens of 5,000 tokens.',
      'coppice: Session ID: 6.0k tokens.',
      'coppice: No price is known for m, so it counts as $0. Set it under prices in config.yaml.',
      'coppice: To go on, run it again: each run may use as much. To let one use more, give it a higher --max-tokens.',
      '',
    ]);
    const slow = ['run', '--source', 'team', '--', 'sh', '-c', `${report(6000)}; sleep 30`];
    const told = await coppice(homeWithBudget(5000), slow);
    expect(told.stderr).toMatch(
      /raise the limit under budgets in config\.yaml\. See what is left with: coppice budget\n$/,
    );
    const looping = await coppice(place, ['run', '--', 'head', '-c', String(60 * 1024 * 1024), '/dev/zero']);
    expect(looping.stderr).toMatch(/coppice: See what it did with: coppice sessions show \S+\n$/);
  });

  it('does not send a person to the meter that saw no call', async () => {
    const { code, stderr } = await coppice(join(tempDir(), 'home'), ['run', '--meter', '--max-usd', '1', '--', 'true']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^coppice: Session \S+\.\ncoppice: No call to a model came through the meter, .*--max-minutes\.\n$/,
    );
  });

  it('is stopped for a flood that is over before the next look by the clock', async () => {
    const home = join(tempDir(), 'home');
    const flood = ['head', '-c', String(60 * 1024 * 1024), '/dev/zero'];
    const { code, stderr } = await coppice(home, ['run', '--', ...flood]);
    expect({ code, stderr }).toMatchObject({ code: 124, stderr: expect.stringContaining('too fast') as string });
  });
});
