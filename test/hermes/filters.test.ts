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
  return decisions.flatMap(({ action, item }) => (action === 'keep' ? [] : [item.id])).toSorted();
}

describe('filters that people know from Hermes', () => {
  it('choose by what Hermes records about a session', async () => {
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
    expect(await taken('--provider', 'openrouter')).toEqual(['a']);
    expect(await taken('--user', 'u1')).toEqual(['a']);
    expect(await taken('--chat', '42')).toEqual(['a']);
    expect(await taken('--branch', 'main')).toEqual(['a']);
    expect(await taken('--min-tokens', '1500')).toEqual(['a', 'b']);
    expect(await taken('--min-tokens', '1501', '--max-tokens', '9000')).toEqual(['b']);
    expect(await taken('--min-cost', '0.25', '--max-cost', '1.5')).toEqual(['a']);
    expect(await taken('--min-messages', '2')).toEqual(['b', 'c']);
    expect(await taken('--newer-than', '200d', '--provider', 'anthropic')).toEqual(['b']);
    expect(await taken('--newer-than', '2d')).toEqual([]);
  });

  it('are refused where the home has no such column, and nothing is taken', async () => {
    buildHermesHome(home, { sessions: [{ id: 'a', messages: ['one'] }] });
    hermesSql(home, 'ALTER TABLE sessions DROP COLUMN git_branch');
    const refused = await runOn(home, ['sessions', 'prune', '--branch', 'main', '--yes']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('It is not recorded in this home on which branch a session worked');
  });
});
