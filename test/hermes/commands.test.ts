import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coppice } from '../e2e/run-coppice.ts';
import { jsonOn, listedOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW, hermesSql, structured } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import type { HermesSchema } from '../support/hermes-schema.ts';
import { LIVE_IDS, standardHermesHome } from '../support/hermes-standard-home.ts';
import { treeState } from '../support/hermes-tree.ts';

const SCHEMAS: readonly HermesSchema[] = [25, 30, 'legacy'];

let root: string;
let home: string;
eachHermesScene((scene) => ({ root, home } = scene));

const change = (sql: string) => hermesSql(home, sql);
const listed = (...args: readonly string[]) => listedOn(home, args);

async function found(...words: readonly string[]): Promise<unknown[]> {
  const { sessions } = await jsonOn<{ sessions: { id: string; match: string }[] }>(home, [
    'sessions',
    'search',
    ...words,
  ]);
  return sessions.map(({ id, match }) => `${match} ${id}`);
}

const LOOKING = [
  ['status'],
  ['plan'],
  ['explain', 'plain'],
  ['runs'],
  ['trash', 'list'],
  ['sessions', 'list'],
  ['sessions', 'list', '--active'],
  ['sessions', 'list', '--archived'],
  ['sessions', 'show', 'plain', '--files'],
  ['sessions', 'tail', 'plain'],
  ['sessions', 'search', 'hello'],
  ['sessions', 'stats'],
  ['ledger'],
  ['sessions', 'export', 'plain'],
  ['sessions', 'prune', '--older-than', '30d', '--dry-run'],
  ['sessions', 'gc', '--dry-run'],
  ['checkpoints', 'status'],
  ['checkpoints', 'list', '--all'],
  ['checkpoints', 'prune', '--dry-run'],
  ['doctor'],
  ['config', 'path'],
  ['config', 'show', '--effective'],
];

describe('looking at a Hermes home', () => {
  for (const schema of SCHEMAS) {
    it(`changes no byte and no time of it, whatever the command (schema ${schema})`, async () => {
      standardHermesHome(home, schema, schema === 'legacy' ? 'delete' : 'wal');
      const before = treeState(home);
      for (const args of LOOKING) {
        const { code, err } = await runOn(home, args);
        expect({ args, code, err: err.replace(/\nThere are more.*/s, '') }).toEqual({ args, code: 0, err: '' });
      }
      expect(treeState(home)).toEqual(before);
    });
  }

  it('changes nothing as a process of its own either', async () => {
    standardHermesHome(home);
    const before = treeState(home);
    for (const args of [['status'], ['plan'], ['sessions', 'search', 'hello'], ['doctor']]) {
      expect((await coppice(home, args)).code).toBe(0);
    }
    expect(treeState(home)).toEqual(before);
  });

  it('is shown by status when no home was named, profiles too', async () => {
    buildHermesHome(home);
    buildHermesHome(join(home, 'profiles', 'work'));
    const env = { HERMES_HOME: home, COPPICE_HOME: join(root, 'own') };
    const { out } = await runOn(undefined, ['status'], env);
    expect(out).toContain(`hermes  Hermes, ${home}\n`);
    expect(out).toContain(`hermes-work  Hermes, ${join(home, 'profiles', 'work')}\n`);
    expect((await runOn(join(root, 'own'), ['status'], env)).out).not.toContain('Hermes');
  });
});

describe('the sessions of a Hermes home', () => {
  for (const schema of SCHEMAS) {
    it(`are listed by age, size and number of messages, and by where they come from (schema ${schema})`, async () => {
      const sessions = [
        { id: 'old', messages: ['x'.repeat(300)], startedAt: HERMES_NOW - 50 * HERMES_DAY },
        { id: 'new', messages: ['a'], startedAt: HERMES_NOW - HERMES_DAY },
        { id: 'chat', source: 'telegram', messages: ['a', 'b', 'c'], startedAt: HERMES_NOW - 9 * HERMES_DAY },
      ];
      buildHermesHome(home, { schema, sessions });
      change(`UPDATE sessions SET input_tokens = 5, estimated_cost_usd = 0.5 WHERE id = 'chat'`);
      expect(await listed()).toEqual(['new', 'chat', 'old']);
      expect(await listed('--sort', 'bytes')).toEqual(['old', 'chat', 'new']);
      expect(await listed('--sort', 'messages', '--limit', '1')).toEqual(['chat']);
      expect(await listed('--sort', 'tokens', '--limit', '1')).toEqual(['chat']);
      expect(await listed('--sort', 'cost', '--limit', '1')).toEqual(['chat']);
      expect(await listed('--source', 'telegram')).toEqual(['chat']);
      expect(await listed('--since', '10d')).toEqual(['new', 'chat']);
      expect(await listed('--before', '10d')).toEqual(['old']);
    });
  }

  it('are active by the evidence of Hermes', async () => {
    standardHermesHome(home, 30);
    expect((await listed('--active')).toSorted()).toEqual(Object.values(LIVE_IDS).toSorted());
  });

  it('show their facts, messages and files', async () => {
    standardHermesHome(home);
    const shown = await jsonOn(home, ['sessions', 'show', 'plai', '--files']);
    expect(shown).toMatchObject({
      id: 'plain',
      title: 'Plain',
      workdir: '/projects/app',
      messageCount: 2,
      pinned: false,
      messages: [
        { seq: 1, role: 'user', content: 'hello' },
        { seq: 2, role: 'assistant', content: 'hi' },
      ],
    });
    expect((shown as { files: unknown[] }).files).toHaveLength(3);
    expect(await jsonOn(home, ['sessions', 'show', 'pinned'])).toMatchObject({ pinned: true });
    expect(await jsonOn(home, ['sessions', 'show', 'archived'])).toMatchObject({ tags: ['hermes:archived'] });
    expect(await jsonOn(home, ['sessions', 'show', 'tip'])).toMatchObject({
      parentId: 'root',
      childKind: 'continuation',
    });
  });

  it('keep tool calls, reasoning, structured content and what was taken back apart', async () => {
    buildHermesHome(home, {
      sessions: [{ id: 's', messages: ['ask', 'old answer', structured([{ type: 'text', text: 'é' }])] }],
    });
    const calls = JSON.stringify([{ id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"a":1}' } }]);
    change(`UPDATE messages SET active = 0 WHERE id = 2;
      INSERT INTO messages (session_id, role, content, tool_calls, reasoning, timestamp) VALUES ('s', 'assistant', NULL, '${calls}', 'because', 1);
      INSERT INTO messages (session_id, role, content, tool_call_id, tool_name, timestamp) VALUES ('s', 'tool', 'done', 'c1', 'bash', 2)`);
    const { messages } = await jsonOn<{ messages: unknown[] }>(home, ['sessions', 'show', 's']);
    expect(messages).toMatchObject([
      { seq: 1, content: 'ask' },
      { seq: 3, content: [{ type: 'text', text: 'é' }] },
      {
        seq: 4,
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'bash', arguments: '{"a":1}' }],
        metadata: { reasoning: 'because' },
      },
      { seq: 5, role: 'tool', toolCallId: 'c1', name: 'bash', content: 'done' },
    ]);
    const { messages: last } = await jsonOn<{ messages: unknown[] }>(home, [
      'sessions',
      'show',
      's',
      '--messages',
      '3',
    ]);
    expect(last).toMatchObject([{ seq: 3 }, { seq: 4 }, { seq: 5 }]);
  });

  it('add up what each model used', async () => {
    buildHermesHome(home, { sessions: [{ id: 's' }] });
    change(`INSERT INTO session_model_usage (session_id, model, task, input_tokens, estimated_cost_usd) VALUES
      ('s', 'large', '', 5, 0.25), ('s', 'large', 'vision', 2, 0.5), ('s', 'small', '', 1, 0)`);
    expect(await jsonOn(home, ['sessions', 'show', 's'])).toMatchObject({
      usageByModel: [
        { model: 'large', inputTokens: 7, costUsd: 0.75 },
        { model: 'small', inputTokens: 1, costUsd: 0 },
      ],
    });
  });
});

describe('searching a Hermes home', () => {
  const sessions = [
    { id: 'titled', title: 'Disk trouble', messages: ['nothing here'] },
    { id: 'said', messages: ['the disk is full'] },
    { id: 'parts', messages: ['a floppydiskette'] },
    { id: 'chinese', messages: ['服务器磁盘已满'] },
    { id: 'structured', messages: [structured([{ type: 'text', text: 'a rare word: Quokka' }])] },
    { id: 'other', source: 'telegram', messages: ['disk, again'] },
  ];

  for (const schema of SCHEMAS) {
    it(`finds titles, words, parts of words and every language (schema ${schema})`, async () => {
      buildHermesHome(home, { schema, sessions });
      expect(await found('disk')).toEqual(
        expect.arrayContaining(['title titled', 'words said', 'words other', 'part parts']),
      );
      expect(await found('disk', '--source', 'telegram')).toEqual(['words other']);
      expect(await found('disk -full -again -trouble')).toEqual(['part parts']);
      expect(await found('"is full"')).toEqual(['words said']);
      expect(await found('磁盘')).toEqual(['part chinese']);
      expect(await found('quokka')).toEqual(['words structured']);
      expect(await found('type')).toEqual([]);
    });
  }

  it('goes through the messages themselves where there is no index', async () => {
    buildHermesHome(home, { sessions });
    change(`DROP TABLE messages_fts; DROP TABLE messages_fts_trigram`);
    expect(await found('disk')).toEqual(
      expect.arrayContaining(['title titled', 'part said', 'part other', 'part parts']),
    );
  });
});
