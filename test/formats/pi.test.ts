import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { readOne, talk, writeLines } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const ID = '01a1de38-c740-760c-b14e-fc4b5744750b';
const PARENT = '01a1de38-c6b7-760c-b14e-fc482427bb0b';
const NAME = `sessions/--work--/2026-11-15T08-00-25-408Z_${ID}.jsonl`;
const timestamp = '2026-11-15T08:00:25.304Z';
const header: JsonObject = {
  type: 'session',
  version: 3,
  id: ID,
  timestamp,
  cwd: '/work',
  parentSession: `/x/2026_${PARENT}.jsonl`,
};
const entry = (id: string, message: JsonObject): JsonObject => ({
  type: 'message',
  id,
  parentId: 'p',
  timestamp,
  message,
});
const usage = { input: 1000, output: 40, cacheRead: 200, cacheWrite: 0, reasoning: 12, cost: { total: 0.0011 } };
const answer = (id: string, content: JsonObject[], more: JsonObject = {}): JsonObject =>
  entry(id, { role: 'assistant', content, model: 'stub-model', usage, responseId: `r_${id}`, ...more });

describe('a session of pi', () => {
  it('tells who said what, its name, its parent and what it cost', async () => {
    const path = writeLines(tempDir(), NAME, [
      header,
      { type: 'model_change', id: 'm', provider: 'stub', modelId: 'stub-model' },
      entry('s', { role: 'system', content: '', sections: { preamble: 'Be brief.' }, toolsAdded: [] }),
      entry('u', { role: 'user', content: [{ type: 'text', text: 'Which files are there?' }] }),
      answer('a', [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'ls' } }]),
      entry('t', {
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'bash',
        content: [{ type: 'text', text: 'src' }],
        isError: true,
      }),
      entry('b', { role: 'bashExecution', command: 'pwd', output: '/work\n' }),
      answer('e', [], { usage: { input: 0 }, stopReason: 'error', errorMessage: '500: no' }),
      { type: 'context_edit', id: 'x', targetId: 'e', replacement: null },
      { type: 'compaction', id: 'k', timestamp, summary: 'So far …', tokensBefore: 9 },
      { type: 'session_info', id: 'i', timestamp, name: 'Greeter chat' },
    ]);
    const session = await readOne(path);
    expect(talk(session)).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Which files are there?'],
      ['assistant', '', '→ bash'],
      ['tool', 'src', 'of bash'],
      ['developer', '$ pwd\n/work\n'],
      ['assistant', [{ type: 'error', text: '500: no' }]],
      ['system', [{ type: 'compaction', text: 'So far …' }]],
    ]);
    expect(session.messages[3]).toMatchObject({ toolCallId: 'c', failed: true });
    expect(session.facts).toMatchObject({
      id: ID,
      title: 'Greeter chat',
      workdir: '/work',
      parentId: PARENT,
      childKind: 'branch',
    });
    expect(session.usage).toMatchObject({
      inputTokens: 1000,
      outputTokens: 40,
      cacheReadTokens: 200,
      reasoningTokens: 12,
      costUsd: 0.0011,
    });
    expect(session.calls).toEqual(['r_a', 'r_e']);
  });
});
