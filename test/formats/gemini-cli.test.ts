import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { readOne, readTranscripts, talk, writeLines, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const ID = '22222222-2222-4222-8222-222222222222';
const CHAT = 'tmp/demo/chats/session-2026-11-15T07-51-22222222.jsonl';
const header = (more: JsonObject = {}): JsonObject => ({
  sessionId: ID,
  projectHash: 'f8ca',
  startTime: '2026-11-15T07:51:00.000Z',
  lastUpdated: '2026-11-15T07:51:00.000Z',
  kind: 'main',
  ...more,
});
const at = (second: number) => `2026-11-15T07:51:${String(second).padStart(2, '0')}.000Z`;
const user = (id: string, text: string) => ({ id, timestamp: at(5), type: 'user', content: [{ text }] });
const tokens = { input: 500, output: 7, cached: 100, thoughts: 3, tool: 0, total: 510 };
const gemini = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  timestamp: at(10),
  type: 'gemini',
  content: 'I read the file first.',
  thoughts: [{ subject: 'Plan', description: 'read it' }],
  tokens,
  model: 'gemini-2.5-flash',
  ...more,
});
const response = { functionResponse: { id: 'c1', name: 'read_file', response: { output: 'def greet' } } };
const called = {
  toolCalls: [{ id: 'c1', name: 'read_file', args: { file_path: 'greet.py' }, result: [response], status: 'success' }],
};
const context = user('ctx', '<session_context>\nThis is the Gemini CLI.');

describe('a chat of Gemini CLI', () => {
  const resumed = [
    header(),
    { $set: { messages: [context], lastUpdated: at(1) } },
    user('u1', 'Please change the greeting'),
    gemini('g1'),
    { $set: { lastUpdated: at(11) } },
    gemini('g1', called),
    { id: 'r1', timestamp: at(12), type: 'user', content: [response] },
    // A resume begins the file anew and tells everything again, in another shape and without tokens.
    header({ startTime: at(30) }),
    {
      $set: {
        messages: [
          context,
          user('u1', 'Please change the greeting'),
          {
            id: 'g1',
            type: 'gemini',
            content: [{ text: 'I read the file first.' }, { functionCall: { id: 'c1', name: 'read_file', args: {} } }],
          },
          { id: 'g1_response', type: 'user', content: [response] },
        ],
      },
    },
    user('u2', 'Thank you'),
    { id: 'i1', timestamp: at(40), type: 'info', content: 'Saved.' },
    { $set: { summary: 'The greeting' } },
  ];

  it('tells everything once, although it is written again and again', async () => {
    const dir = tempDir();
    writeText(dir, 'tmp/demo/.project_root', '/work/demo\n');
    const session = await readOne(writeLines(dir, CHAT, resumed));
    expect(talk(session)).toEqual([
      ['developer', '<session_context>\nThis is the Gemini CLI.'],
      ['user', 'Please change the greeting'],
      [
        'assistant',
        [
          { type: 'thinking', thinking: 'Plan: read it' },
          { type: 'text', text: 'I read the file first.' },
        ],
        '→ read_file',
      ],
      ['tool', 'def greet', 'of read_file'],
      ['user', 'Thank you'],
      ['system', 'Saved.'],
    ]);
    expect(session.facts).toMatchObject({
      id: ID,
      title: 'The greeting',
      workdir: '/work/demo',
      model: 'gemini-2.5-flash',
    });
    // Gemini counts what was cached among the input and what was thought beside the output.
    expect(session.usage).toMatchObject({
      inputTokens: 400,
      outputTokens: 10,
      cacheReadTokens: 100,
      reasoningTokens: 3,
    });
  });

  it('keeps a prompt that was taken out of the chat after it failed', async () => {
    const lines = [header(), user('u1', 'You are bad request'), { $set: { messages: [context] } }];
    expect(talk(await readOne(writeLines(tempDir(), CHAT, lines)))).toContainEqual(['user', 'You are bad request']);
  });

  it('is empty when a resume wrote nothing but its header', async () => {
    const path = writeLines(tempDir(), CHAT, [header(), { $set: { messages: [context] } }]);
    expect(await readTranscripts(path)).toMatchObject({ sessions: [], problems: [] });
  });

  it('knows a subagent by the folder of its parent', async () => {
    const path = writeLines(tempDir(), `tmp/demo/chats/${ID}/288658f0.jsonl`, [
      header({ sessionId: '288658f0', kind: 'subagent', directories: ['/work/demo'] }),
      user('u1', 'List them.'),
    ]);
    expect((await readOne(path)).facts).toMatchObject({
      id: '288658f0',
      parentId: ID,
      childKind: 'subagent',
      workdir: '/work/demo',
    });
  });

  it('reads the documents of older versions, and says when one is cut off', async () => {
    const dir = tempDir();
    const text = JSON.stringify(
      { ...header(), messages: [user('u1', 'hello'), gemini('g1', called)], summary: 'Old' },
      null,
      2,
    );
    const path = writeText(dir, CHAT.replace('.jsonl', '.json'), text);
    const session = await readOne(path);
    expect(talk(session).map(([role]) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(session.facts).toMatchObject({ id: ID, title: 'Old' });
    writeText(dir, CHAT.replace('.jsonl', '.json'), text.slice(0, text.indexOf('"id": "g1"')));
    const cut = await readTranscripts(path);
    expect(cut.problems).toEqual(['torn-document']);
    expect(cut.sessions.map((told) => told.messages.length)).toEqual([1]);
  });
});
