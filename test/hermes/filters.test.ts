import { describe, expect, it } from 'vitest';
import { jsonOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, hermesSql } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';

let home: string;
eachHermesScene((scene) => ({ home } = scene));

interface Planned {
  readonly decisions: readonly { readonly action: string; readonly item: { readonly id: string } }[];
}

/** Which sessions a prune with these filters would take. */
async function taken(...filters: readonly string[]): Promise<readonly string[]> {
  const set = ['--set', 'sessions.keep_last=never'];
  const { decisions } = await jsonOn<Planned>(home, [...set, 'sessions', 'prune', '--dry-run', ...filters]);
  return removals({ decisions });
}

function removals({ decisions }: Planned): readonly string[] {
  return decisions.flatMap(({ action, item }) => (action === 'keep' ? [] : [item.id])).toSorted();
}

/** Which sessions a list with these filters shows. */
async function listed(...filters: readonly string[]): Promise<readonly string[]> {
  const { sessions } = await jsonOn<{ readonly sessions: readonly { readonly id: string }[] }>(home, [
    'sessions',
    'list',
    ...filters,
  ]);
  return sessions.map(({ id }) => id).toSorted();
}

/** Which sessions an export with these filters writes. */
async function exported(...filters: readonly string[]): Promise<readonly string[]> {
  const { code, out } = await runOn(home, ['sessions', 'export', ...filters]);
  expect(code).toBe(out === '' ? 10 : 0);
  const lines = out.split('\n').filter((line) => line.startsWith('{"kind":"session",'));
  return lines.map((line) => (JSON.parse(line) as { readonly id: string }).id).toSorted();
}

/** Which sessions a delete with these filters would take. */
async function deleted(...filters: readonly string[]): Promise<readonly string[]> {
  const { code, out } = await runOn(home, ['--json', 'sessions', 'delete', '--dry-run', ...filters]);
  return code === 10 ? [] : removals(JSON.parse(out) as Planned);
}

/** Three sessions, of which Hermes knows different things. */
function build(): void {
  buildHermesHome(home, {
    sessions: ['a', 'b', 'c'].map((id) => ({ id, messages: id === 'a' ? ['one'] : ['one', 'two', 'three'] })),
  });
  hermesSql(
    home,
    `UPDATE sessions SET billing_provider = 'openrouter', user_id = 'u1', chat_id = '42', git_branch = 'main',
      input_tokens = 1000, output_tokens = 500, estimated_cost_usd = 0.25 WHERE id = 'a'`,
  );
  hermesSql(
    home,
    `UPDATE sessions SET billing_provider = 'anthropic', git_branch = 'main_2', input_tokens = 9000,
      actual_cost_usd = 2 WHERE id = 'b'`,
  );
}

describe('filters that people know from Hermes', () => {
  it.each([
    ['prune', taken],
    ['list', listed],
    ['export', exported],
    ['delete', deleted],
  ] as const)('choose by what Hermes records about a session: %s', async (_, chosen) => {
    build();
    expect(await chosen('--provider', 'openrouter')).toEqual(['a']);
    expect(await chosen('--user', 'u1')).toEqual(['a']);
    expect(await chosen('--chat', '42')).toEqual(['a']);
    expect(await chosen('--branch', 'main')).toEqual(['a']);
    expect(await chosen('--min-tokens', '1500')).toEqual(['a', 'b']);
    expect(await chosen('--min-tokens', '1501', '--max-tokens', '9000')).toEqual(['b']);
    expect(await chosen('--min-cost', '0.25', '--max-cost', '1.5')).toEqual(['a']);
    expect(await chosen('--min-messages', '2')).toEqual(['b', 'c']);
    expect(await chosen('--newer-than', '200d', '--provider', 'anthropic')).toEqual(['b']);
    expect(await chosen('--newer-than', '2d')).toEqual([]);
  });

  it('of a delete show what would go, keep what is held, and cannot skip the trash', async () => {
    buildHermesHome(home, {
      sessions: ['a', 'b'].map((id) => ({ id, source: 'cron', messages: ['one'], pinned: id === 'b' })),
    });
    const chosen = ['sessions', 'delete', '--source', 'cron'];
    const shown = await runOn(home, [...chosen, '--dry-run']);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/Nothing was changed\. To do exactly this/);
    expect(await listed()).toEqual(['a', 'b']);
    const purge = await runOn(home, [...chosen, '--purge', '--yes']);
    expect({ code: purge.code, all: await listed() }).toEqual({ code: 2, all: ['a', 'b'] });
    expect((await runOn(home, [...chosen, '--yes'])).out).toMatch(/^Removed 1 session/);
    expect(await listed()).toEqual(['b']);
    await runOn(home, ['undo', '--yes']);
    expect(await listed()).toEqual(['a', 'b']);
    expect((await runOn(home, ['sessions', 'delete', '--yes'])).code).toBe(2);
    expect((await runOn(home, ['sessions', 'delete', 'a', '--source', 'cron', '--yes'])).code).toBe(2);
  });

  it('are refused where the home has no such column, and nothing is taken', async () => {
    buildHermesHome(home, { sessions: [{ id: 'a', messages: ['one'] }] });
    hermesSql(home, 'ALTER TABLE sessions DROP COLUMN git_branch');
    for (const line of [['prune', '--yes'], ['delete', '--yes'], ['list'], ['export']]) {
      const refused = await runOn(home, ['sessions', ...line, '--branch', 'main']);
      expect(refused).toMatchObject({ code: 2, out: '' });
      expect(refused.err).toContain('It is not recorded in this home on which branch a session worked');
    }
  });
});
