import { describe, expect, it } from 'vitest';
import { readTranscripts, talk, writeLines, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'hi "quoted" ] } \\' }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'found' },
];
const TOLD = [
  ['system', 'Be brief.'],
  ['user', [{ type: 'text', text: 'hi "quoted" ] } \\' }]],
  ['assistant', '', '→ look'],
  ['tool', 'found'],
];

describe('chats as programs keep them', () => {
  it.each([
    ['a list of messages', JSON.stringify(chat)],
    ['the same, over several lines', JSON.stringify(chat, null, 2)],
    ['an object with messages', JSON.stringify({ model: 'gpt', messages: chat })],
    [
      'the same, over several lines',
      JSON.stringify({ model: 'gpt', title: 'T', other: { x: [1, { y: 2 }] }, messages: chat }, null, 2),
    ],
  ])('are read: %s', async (_, text) => {
    const { sessions, problems } = await readTranscripts(writeText(tempDir(), 'chat.json', text));
    expect(problems).toEqual([]);
    expect(sessions.map(talk)).toEqual([TOLD]);
  });

  it('are a session per line where each line is a conversation', async () => {
    const path = writeLines(tempDir(), 'train.jsonl', [
      { messages: chat },
      { id: 'own', title: 'T', messages: chat },
      { messages: chat },
    ]);
    const { sessions } = await readTranscripts(path);
    expect(sessions.map(talk)).toEqual([TOLD, TOLD, TOLD]);
    expect(sessions.map(({ facts }) => facts.id)).toEqual([
      expect.stringMatching(/^train-[0-9a-f]{8}$/),
      'own',
      expect.stringMatching(/^train-[0-9a-f]{8}-3$/),
    ]);
  });

  it('are told from other documents', async () => {
    const dir = tempDir();
    for (const text of ['{"name":"coppice","messages":3}', '[1,2]', '[{"a":1}]', '{}', '', 'text'])
      await expect(readTranscripts(writeText(dir, 'x.json', text))).rejects.toThrow('nobody recognises');
  });
});
