import { describe, expect, it } from 'vitest';
import { readOne, talk, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const TASK = '1794728911000';
const FOLDER = `globalStorage/rooveterinaryinc.roo-cline/tasks/${TASK}`;
const turns = [
  {
    role: 'user',
    content: [
      { type: 'text', text: '<task>\nfix the greeting\n</task>' },
      { type: 'text', text: '<environment_details>…' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c', name: 'read_file', input: { path: 'a' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'def' }] },
      { type: 'text', text: '<environment_details>…' },
    ],
  },
];
const shown = [
  { ts: 1_794_728_911_000, type: 'say', say: 'text', text: 'fix the greeting' },
  {
    ts: 1_794_728_912_000,
    type: 'say',
    say: 'api_req_started',
    text: JSON.stringify({ tokensIn: 100, tokensOut: 20, cacheReads: 7, cacheWrites: 3, cost: 0.25 }),
  },
  { ts: 1_794_728_920_000, type: 'say', say: 'api_req_started', text: '{"request":"not answered yet"}' },
];

describe('a task of Cline or Roo Code', () => {
  it('tells who said what, and what was paid from beside the talk', async () => {
    const dir = tempDir();
    writeText(dir, `${FOLDER}/ui_messages.json`, JSON.stringify(shown));
    const session = await readOne(writeText(dir, `${FOLDER}/api_conversation_history.json`, JSON.stringify(turns)));
    expect(talk(session).map(([role, , ...tools]) => [role, ...tools])).toEqual([
      ['user'],
      ['assistant', '→ read_file'],
      ['tool', 'of read_file'],
      ['developer'],
    ]);
    expect(session.facts).toMatchObject({
      id: TASK,
      title: 'fix the greeting',
      startedAt: Number(TASK),
      lastActiveAt: 1_794_728_920_000,
    });
    expect(session.messages[0]?.at).toBe(Number(TASK));
    expect(session.usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 7,
      cacheWriteTokens: 3,
      costUsd: 0.25,
    });
  });

  it('takes folder and name from where Roo Code keeps them', async () => {
    const dir = tempDir();
    writeText(
      dir,
      `${FOLDER}/history_item.json`,
      JSON.stringify({ task: 'the task', workspace: '/work/demo', ts: 1_794_728_999_000 }, null, 2),
    );
    const { facts } = await readOne(writeText(dir, `${FOLDER}/api_conversation_history.json`, JSON.stringify(turns)));
    expect(facts).toMatchObject({ title: 'the task', workdir: '/work/demo', lastActiveAt: 1_794_728_999_000 });
  });
});
