import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import { homeUsage } from '../../../test/support/disk-usage.ts';
import { fileTestedHome } from '../../../test/support/file-home-conformance.ts';
import { dumpFileHome, FILE_NOW, type FileHomeScene, putFile } from '../../../test/support/file-home-scene.ts';
import { readerAt } from '../../../test/support/foreign-reader.ts';
import { putLeftDatabase } from '../../../test/support/guest-home.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../core/time.ts';
import { allSkipped } from '../../kit/homes/outcomes.ts';
import { itemsFor, RUN } from '../tested-home.conformance.ts';
import { gooseKind } from './goose-kind.ts';

const AT = Date.UTC(2026, 7, 1, 12);
const OLD = FILE_NOW - 40 * DAY_MS;

function writeGoose(db: Database): void {
  db.exec(`
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, name TEXT, session_type TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP,
      accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, model_config_json TEXT, parent_session_id TEXT
    );
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
      content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL
    );
    INSERT INTO sessions VALUES ('20260801_1', 'About ports', 'user', '/home/ada/work', '2026-08-01 12:00:00',
      '2026-08-01 12:10:00', 1200, 80, '{"model_name":"some-model"}', NULL);
    INSERT INTO sessions VALUES ('20260801_2', '', 'sub_agent', '/home/ada/work', 'never', NULL, NULL, NULL, 'no JSON', '20260801_1');
  `);
  const call = { status: 'success', value: { name: 'shell', arguments: { command: 'ls' } } };
  const result = { status: 'success', value: [{ type: 'text', text: 'a.txt' }] };
  const said: readonly (readonly [string, unknown])[] = [
    ['user', [{ type: 'text', text: 'What is here?' }]],
    [
      'assistant',
      [
        { type: 'thinking', thinking: 'hm' },
        { type: 'toolRequest', id: 'call_1', toolCall: call },
      ],
    ],
    ['user', [{ type: 'toolResponse', id: 'call_1', toolResult: result }]],
    ['user', [{ type: 'toolResponse', id: 'call_2', toolResult: { status: 'error', error: 'no such tool' } }]],
    ['assistant', 'damaged'],
    ...Array.from({ length: 150 }, (_, at) => ['user', [{ type: 'text', text: `word ${at}` }]] as const),
  ];
  const insert = db.prepare(
    "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('20260801_1', ?, ?, ?)",
  );
  for (const [role, content] of said) insert.run(role, JSON.stringify(content), AT / 1000);
}

const scene: FileHomeScene = {
  build(home) {
    putLeftDatabase(home, { path: 'sessions/sessions.db', write: writeGoose, at: OLD });
    putFile(home, 'sessions/20250101_101010.jsonl', '{}\n', OLD);
    putFile(home, 'mine.txt', 'mine', OLD);
  },
  removable: [],
  held: ['20260801_1', '20260801_2'],
  change: () => undefined,
  uses: {},
};

describe('a home of Goose', () => {
  it('is looked at without a trace, also where all of it is in the log', async () => {
    const home = join(tempDir(), 'goose');
    scene.build(home);
    const before = dumpFileHome(home);
    const reader = await readerAt(gooseKind, home);
    const sessions = await collect(reader.list({ sort: 'stored' }));
    expect(sessions.map(({ id }) => id).toSorted()).toEqual(scene.held);
    expect(dumpFileHome(home)).toEqual(before);
  });

  it('tells of its sessions, and how each of them is removed', async () => {
    await using home = await fileTestedHome(gooseKind, scene);
    const { store } = home.opened;
    expect(await store.get('20260801_1')).toMatchObject({
      title: 'About ports',
      workdir: '/home/ada/work',
      model: 'some-model',
      startedAt: AT,
      lastActiveAt: AT + 600_000,
      messageCount: 155,
      toolCallCount: 1,
      usage: { inputTokens: 1200, outputTokens: 80 },
      hold: { kind: 'through-owner', command: 'goose session remove --session-id 20260801_1' },
    });
    expect(await store.get('20260801_2')).toMatchObject({
      parentId: '20260801_1',
      childKind: 'subagent',
      startedAt: 0,
    });
    const messages = await collect(store.messages('20260801_1'));
    expect(
      messages.slice(0, 5).map(({ role, content, toolCalls, failed }) => [role, content, toolCalls, failed]),
    ).toEqual([
      ['user', 'What is here?', undefined, undefined],
      [
        'assistant',
        [{ type: 'thinking', thinking: 'hm' }],
        [{ id: 'call_1', name: 'shell', arguments: { command: 'ls' } }],
        undefined,
      ],
      ['tool', 'a.txt', undefined, undefined],
      ['tool', 'no such tool', undefined, true],
      ['assistant', '', undefined, undefined],
    ]);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, at) => at + 1));
    expect(messages.at(-1)?.content).toBe('word 149');
  });

  it('is only shown: nothing of it goes, whatever is asked', async () => {
    await using home = await fileTestedHome(gooseKind, scene);
    const inventory = await home.driver.scan();
    expect(inventory).toMatchObject({
      strays: [],
      doubts: ['activity-unknown'],
      disk: { usedBytes: homeUsage(home.path) },
    });
    const before = dumpFileHome(home.path);
    const items = await itemsFor(home, scene.held, 'remove');
    allSkipped(await home.driver.discard(RUN, items), items);
    expect(dumpFileHome(home.path)).toEqual(before);
    await expect(home.opened.prepare()).rejects.toThrow('only Goose knows all that belongs to one');
  });

  it('has no sessions that can be told where its tables are not known', async () => {
    const home = join(tempDir(), 'goose');
    putLeftDatabase(home, {
      path: 'sessions/sessions.db',
      write: (db) => db.exec('CREATE TABLE sessions (id)'),
      at: OLD,
    });
    const reader = await readerAt(gooseKind, home);
    expect(await collect(reader.list())).toEqual([]);
  });
});
