import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../../test/support/collect.ts';
import { fileTestedHome } from '../../../../test/support/file-home-conformance.ts';
import { dumpFileHome, FILE_NOW, type FileHomeScene, putFile } from '../../../../test/support/file-home-scene.ts';
import { readerAt } from '../../../../test/support/foreign-reader.ts';
import { putLeftDatabase } from '../../../../test/support/guest-home.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../../core/time.ts';
import { allSkipped } from '../../../kit/homes/outcomes.ts';
import { itemsFor, RUN } from '../../tested-home.conformance.ts';
import { openclawKind } from './openclaw-kind.ts';

const OLD = FILE_NOW - 40 * DAY_MS;
const at = new Date(OLD).toISOString();

function writeOpenclaw(db: Database): void {
  db.exec(`
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, display_name TEXT, pinned_at INTEGER, archived_at INTEGER);
    CREATE TABLE session_windows (
      session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, created_at INTEGER, updated_at INTEGER, status TEXT, model TEXT
    );
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, PRIMARY KEY (session_id, seq));
    INSERT INTO session_nodes VALUES ('agent:main:main', 'later', 'Main talk', 5, NULL);
    INSERT INTO session_windows VALUES ('first', 'agent:main:main', NULL, ${OLD}, ${OLD}, 'done', 'some-model');
    INSERT INTO session_windows VALUES ('later', 'agent:main:main', 'first', ${OLD + 1}, ${OLD + 2}, 'done', NULL);
    INSERT INTO session_windows VALUES ('alone', 'agent:main:it''s', NULL, ${OLD + 3}, ${OLD + 3}, 'done', NULL);
  `);
  const events = [
    { type: 'session', version: 3, id: 'first', timestamp: at, cwd: '/home/ada/work' },
    { type: 'message', id: '1', timestamp: at, message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] } },
    {
      type: 'message',
      id: '2',
      timestamp: at,
      message: {
        role: 'assistant',
        model: 'some-model',
        content: [{ type: 'toolCall', id: 'c', name: 'ls', arguments: {} }],
      },
    },
    ...Array.from({ length: 300 }, (_, id) => {
      return { type: 'message', id: `m${id}`, timestamp: at, message: { role: 'user', content: `word ${id}` } };
    }),
  ];
  const insert = db.prepare("INSERT INTO transcript_events VALUES ('first', ?, ?)");
  for (const [seq, event] of events.entries()) insert.run(seq, JSON.stringify(event));
  db.exec(`INSERT INTO transcript_events VALUES ('later', 0, NULL), ('later', 1, x'28b52ffd')`);
}

const scene: FileHomeScene = {
  build(home) {
    putLeftDatabase(home, { path: 'agents/main/agent/openclaw-agent.sqlite', write: writeOpenclaw, at: OLD });
    putFile(home, 'agents/main/sessions/sessions.json', '{}', OLD);
    putFile(home, 'openclaw.json', '{}', OLD);
  },
  removable: [],
  held: ['alone', 'first', 'later'],
  change: () => undefined,
  uses: {},
};

describe('a home of OpenClaw', () => {
  it('is looked at without a trace, and tells of the windows of its conversations', async () => {
    const home = join(tempDir(), 'claw');
    scene.build(home);
    const before = dumpFileHome(home);
    const reader = await readerAt(openclawKind, home);
    const sessions = await collect(reader.list());
    expect(sessions.map(({ id }) => id).toSorted()).toEqual(scene.held);
    expect(await reader.get('first')).toMatchObject({
      title: 'Main talk',
      workdir: '/home/ada/work',
      model: 'some-model',
      pinned: true,
      messageCount: 302,
      toolCallCount: 1,
      hold: { kind: 'through-owner', command: 'openclaw sessions delete agent:main:main' },
    });
    expect(await reader.get('later')).toMatchObject({ parentId: 'first', childKind: 'reset', messageCount: 0 });
    expect((await reader.get('alone'))?.hold).toEqual({
      kind: 'through-owner',
      command: `openclaw sessions delete 'agent:main:it'\\''s'`,
    });
    const messages = await collect(reader.messages('first'));
    expect(messages.slice(0, 2).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hello'],
      ['assistant', ''],
    ]);
    expect(messages.at(-1)).toMatchObject({ seq: 302, content: 'word 299' });
    expect(dumpFileHome(home)).toEqual(before);
  });

  it('is only shown: nothing of it goes, and what it used is not made up', async () => {
    await using home = await fileTestedHome(openclawKind, scene);
    const { strays, doubts, knows, sessions } = await home.driver.scan();
    expect({ strays, doubts, knows: await home.opened.knows(), of: knows }).toEqual({
      strays: [],
      doubts: ['activity-unknown'],
      knows: [],
      of: [],
    });
    expect(sessions.every(({ tokens, costUsd }) => tokens === undefined && costUsd === undefined)).toBe(true);
    const before = dumpFileHome(home.path);
    const items = await itemsFor(home, scene.held, 'remove');
    allSkipped(await home.driver.discard(RUN, items), items);
    expect(dumpFileHome(home.path)).toEqual(before);
  });

  it('is none where no agent of it has a database', async () => {
    const home = tempDir();
    putFile(home, 'agents/main/sessions/sessions.json', '{}', OLD);
    expect(await openclawKind.detect(home)).toBeUndefined();
  });
});
