import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Message, openHome, type SessionFacts } from '../../src/index.ts';
import { collect } from '../support/collect.ts';
import { runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_NOW } from '../support/hermes-home.ts';
import { NASTY_IDS, standardHermesHome } from '../support/hermes-standard-home.ts';
import { treeState } from '../support/hermes-tree.ts';

let root: string;
let hermes: string;
let own: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
  hermes = join(root, 'hermes');
  own = join(root, 'own');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function change(sql: string): void {
  const db = new BetterSqlite3(join(hermes, 'state.db'));
  db.exec(sql);
  db.close();
}

const bringIn = (...options: readonly string[]) => runOn(own, ['sessions', 'import', '--from', hermes, ...options]);

async function contents(path: string): Promise<Map<string, { facts: SessionFacts; messages: Message[] }>> {
  await using home = await openHome({ path, env: {}, clock: { now: () => HERMES_NOW } });
  const all = new Map<string, { facts: SessionFacts; messages: Message[] }>();
  for await (const facts of home.sessions.list()) {
    const session = await home.sessions.open(facts.id);
    all.set(facts.id, { facts, messages: await collect(session.messages()) });
  }
  return all;
}

describe('bringing the sessions of a Hermes home into one of Coppice', () => {
  it('keeps ids, times, messages, titles, parents and pins, and changes nothing in the home of Hermes', async () => {
    standardHermesHome(hermes, 30);
    const calls = JSON.stringify([{ id: 'c1', type: 'function', function: { name: 'bash', arguments: '{}' } }]);
    change(
      `INSERT INTO messages (session_id, role, tool_calls, reasoning, timestamp) VALUES ('plain', 'assistant', '${calls}', 'why', 1)`,
    );
    const before = treeState(hermes);
    // What nobody uses is closed by a rule of its own, as of every home, once somebody writes.
    const { code, out, err } = await bringIn('--set', 'sessions.abandon_after_hours=9999');
    expect(treeState(hermes)).toEqual(before);
    // One id holds a line break, which no session of Coppice may have.
    expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining('1 could not be imported.') });
    expect(err).toContain('control characters');
    const [theirs, ours] = [await contents(hermes), await contents(own)];
    expect([...ours.keys()].toSorted()).toEqual([...theirs.keys()].filter((id) => !id.includes('\n')).toSorted());
    expect(ours.size).toBeGreaterThan(NASTY_IDS.length);
    for (const [id, { facts, messages }] of ours) {
      const original = theirs.get(id);
      expect(messages).toEqual(original?.messages);
      const { contentBytes: _a, transcriptBytes: _b, dumpBytes: _c, toolCallCount: _d, childKind, ...same } = facts;
      expect(original?.facts).toMatchObject(same);
      if (original?.facts.childKind !== undefined) expect(childKind).toBe(original.facts.childKind);
    }
    expect(ours.get('plain')?.messages.at(-1)).toMatchObject({
      toolCalls: [{ id: 'c1', name: 'bash' }],
      metadata: { reasoning: 'why' },
    });
  });

  it('brings in what each model used', async () => {
    buildHermesHome(hermes, { sessions: [{ id: 's', messages: ['a'] }] });
    change(
      `INSERT INTO session_model_usage (session_id, model, input_tokens, estimated_cost_usd) VALUES ('s', 'large', 5, 0.25)`,
    );
    await bringIn();
    await using home = await openHome({ path: own, env: {} });
    const session = await home.sessions.open('s');
    expect(await session.usageByModel()).toMatchObject([{ model: 'large', inputTokens: 5, costUsd: 0.25 }]);
  });

  it('leaves alone what was brought in before, and reports what has changed since', async () => {
    const sessions = ['one', 'two'].map((id) => ({ id, messages: ['a', 'b'] }));
    buildHermesHome(hermes, { sessions });
    expect((await bringIn()).out).toBe('Imported 2 sessions with 4 messages.\n');
    expect(await bringIn()).toMatchObject({ code: 0, out: 'Imported nothing. 2 sessions were there already.\n' });
    change(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('two', 'user', 'more', 1)`);
    const { code, err } = await bringIn();
    expect(code).toBe(3);
    expect(err).toContain('Session two was brought in before and has other messages now');
    expect((await contents(own)).get('two')?.messages).toHaveLength(2);
  });

  it('goes on where it was stopped, with every session whole or not there', async () => {
    const sessions = ['one', 'two', 'three'].map((id) => ({ id, messages: ['a', 'b'] }));
    buildHermesHome(hermes, { sessions });
    const stop = new AbortController();
    {
      await using home = await openHome({ path: own, env: {} });
      const partly = async () => {
        for await (const { status } of home.sessions.importFrom(hermes, { signal: stop.signal })) {
          if (status === 'imported') stop.abort(new Error('enough'));
        }
      };
      await expect(partly()).rejects.toThrow('enough');
    }
    expect([...(await contents(own)).values()].map(({ messages }) => messages.length)).toEqual([2]);
    expect((await bringIn()).out).toBe('Imported 2 sessions with 4 messages. 1 session was there already.\n');
  });

  it('takes only the sessions of a source when asked', async () => {
    buildHermesHome(hermes, {
      sessions: [
        { id: 'chat', source: 'telegram', messages: ['a'] },
        { id: 'cli', messages: ['b'] },
      ],
    });
    await bringIn('--source', 'telegram');
    expect([...(await contents(own)).keys()]).toEqual(['chat']);
  });

  it('says what is wrong with the command', async () => {
    const failures = [
      await runOn(own, ['sessions', 'import']),
      await runOn(own, ['sessions', 'import', 'x', '--from', hermes]),
      await runOn(own, ['sessions', 'import', 'x', '--source', 'cli']),
      await runOn(own, ['sessions', 'import', '--from', join(root, 'nowhere')]),
    ];
    expect(failures.map(({ code }) => code)).toEqual([2, 2, 2, 10]);
  });
});
