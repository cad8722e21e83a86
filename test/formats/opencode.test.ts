import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { readOne, readTranscripts, type ToldSession, talk, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const created = 1_794_728_911_000;
const info: JsonObject = {
  id: 'ses_1',
  projectID: 'p',
  directory: '/work/greeter',
  parentID: 'ses_0',
  title: 'Greeter chat',
  time: { created, updated: created + 9000 },
};
const prompt = {
  info: { id: 'msg_1', role: 'user', time: { created } },
  parts: [{ id: 'prt_1', type: 'text', text: 'Look.' }],
};
const answer = {
  info: {
    id: 'msg_2',
    role: 'assistant',
    modelID: 'stub-model',
    time: { created: created + 1000, completed: created + 2000 },
    cost: 0.0011,
    tokens: { input: 1000, output: 28, reasoning: 12, cache: { read: 200, write: 0 } },
  },
  parts: [
    { id: 'prt_2', type: 'step-start', snapshot: 'd1e0' },
    { id: 'prt_3', type: 'reasoning', text: 'I look.' },
    {
      id: 'prt_4',
      type: 'tool',
      tool: 'read',
      callID: 'c1',
      state: { status: 'completed', input: { filePath: 'a' }, output: 'text' },
    },
    { id: 'prt_5', type: 'tool', tool: 'bash', callID: 'c2', state: { status: 'error', input: {}, error: 'no' } },
    { id: 'prt_6', type: 'compaction', auto: true },
  ],
};
const failed = {
  info: {
    id: 'msg_3',
    role: 'assistant',
    time: { created: created + 3000 },
    error: { name: 'APIError', data: { message: 'scripted 400' } },
  },
  parts: [],
};
const messages = [prompt, answer, failed];

/** The three ways in which opencode keeps or prints the same session. */
const WAYS = {
  'its database': (dir: string) => writeDatabase(join(dir, 'opencode/opencode.db')),
  'what it exports': (dir: string) => writeText(dir, 'exported.json', JSON.stringify({ info, messages }, null, 2)),
  'the files of older versions': (dir: string) => {
    for (const { info: message, parts } of messages) {
      writeText(dir, `storage/message/ses_1/${message.id}.json`, JSON.stringify(message));
      for (const part of parts) writeText(dir, `storage/part/${message.id}/${part.id}.json`, JSON.stringify(part));
    }
    return writeText(dir, 'storage/session/p/ses_1.json', JSON.stringify(info));
  },
};

describe.each(Object.entries(WAYS))('opencode: %s', (_, write) => {
  it('tells who said what, what the tools gave back and what it cost', async () => {
    const session = await readOne(write(tempDir()));
    expectTheSession(session);
  });
});

describe('the database of opencode', () => {
  it('is only read, also while its log holds everything', async () => {
    const dir = tempDir();
    const file = join(dir, 'opencode/opencode.db');
    mkdirSync(dirname(file), { recursive: true });
    const owner = new Database(file);
    owner.pragma('journal_mode = WAL');
    owner.pragma('wal_autocheckpoint = 0');
    fill(owner);
    expectTheSession(await readOne(file));
    expect(() => owner.exec(`UPDATE session SET title = 'still writable'`)).not.toThrow();
    expect((await readOne(file)).facts.title).toBe('still writable');
    owner.close();
  });

  it('is not guessed at when it has another shape', async () => {
    const file = join(tempDir(), 'opencode.db');
    const db = new Database(file);
    db.exec('CREATE TABLE session (id TEXT)');
    db.close();
    await expect(readTranscripts(file)).rejects.toThrow('in a shape that is not known here');
  });

  it('counts a copied session as the calls it came from', async () => {
    const dir = tempDir();
    const [first] = (await readTranscripts(WAYS['its database'](dir))).sessions;
    const fork = {
      info: { ...info, id: 'ses_2' },
      messages: messages.map((message, index) => ({ ...message, info: { ...message.info, id: `new_${index}` } })),
    };
    const copied = await readOne(writeText(dir, 'fork.json', JSON.stringify(fork)));
    expect(copied.calls).toEqual(first?.calls);
  });
});

function expectTheSession(session: ToldSession): void {
  expect(talk(session)).toEqual([
    ['user', 'Look.'],
    [
      'assistant',
      [
        { type: 'thinking', thinking: 'I look.' },
        { type: 'compaction', text: 'The conversation was shortened here.' },
      ],
      '→ read',
      '→ bash',
    ],
    ['tool', 'text', 'of read'],
    ['tool', 'no', 'of bash'],
    ['system', [{ type: 'error', text: 'scripted 400' }]],
  ]);
  expect(session.facts).toEqual({
    id: 'ses_1',
    title: 'Greeter chat',
    workdir: '/work/greeter',
    model: 'stub-model',
    parentId: 'ses_0',
    childKind: 'subagent',
    startedAt: created,
    lastActiveAt: created + 9000,
  });
  expect(session.usage).toEqual({
    inputTokens: 1000,
    outputTokens: 40,
    cacheReadTokens: 200,
    cacheWriteTokens: 0,
    reasoningTokens: 12,
    costUsd: 0.0011,
  });
}

function writeDatabase(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  const db = new Database(file);
  fill(db);
  db.close();
  return file;
}

function fill(db: Database.Database): void {
  db.exec(`CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, title TEXT, parent_id TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT)`);
  db.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)').run(
    'ses_1',
    '/work/greeter',
    'Greeter chat',
    'ses_0',
    created,
    created + 9000,
  );
  for (const { info: message, parts } of messages) {
    const { id, ...data } = message;
    db.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run(id, 'ses_1', message.time.created, JSON.stringify(data));
    for (const { id: part, ...rest } of parts)
      db.prepare('INSERT INTO part VALUES (?, ?, ?)').run(part, id, JSON.stringify(rest));
  }
}
