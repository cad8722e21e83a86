import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { readOne, talk, writeLines, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const ID = '22222222-2222-4222-8222-222222222222';
const NAME = `session-state/${ID}/events.jsonl`;
let minute = 0;
const event = (type: string, data: JsonObject, more: JsonObject = {}): JsonObject => {
  minute = (minute + 1) % 60;
  return {
    type,
    data,
    id: `e${minute}`,
    timestamp: `2026-11-15T07:${String(minute).padStart(2, '0')}:00Z`,
    parentId: null,
    ...more,
  };
};
const start = event('session.start', { sessionId: ID, context: { cwd: '/work' }, selectedModel: 'm' });
const tokens = { inputTokens: 650, outputTokens: 7, cacheReadTokens: 100, cacheWriteTokens: 50 };
const total = (sum: JsonObject) =>
  event('session.shutdown', { accountingSnapshot: { modelMetrics: { m: { requests: { count: 1 }, usage: sum } } } });

describe('the events of Copilot', () => {
  it('tell who said what, its subagents in the same talk', async () => {
    const dir = tempDir();
    writeText(dir, `session-state/${ID}/workspace.yaml`, `id: ${ID}\ncwd: /work/demo\nname: 'It''s a greeting'\n`);
    const path = writeLines(dir, NAME, [
      start,
      event('user.message', { content: 'Please ask a helper', transformedContent: '<now>' }),
      event('system.message', { role: 'system', content: 'You are …' }),
      event('assistant.turn_start', {}),
      event('assistant.message', {
        content: 'I ask.',
        model: 'm',
        reasoningText: 'Ask somebody.',
        toolRequests: [{ toolCallId: 'c', name: 'task', arguments: { prompt: 'List' } }],
      }),
      event('tool.execution_start', { toolCallId: 'c', toolName: 'task' }),
      event('user.message', { content: 'List', source: `agent-${ID}` }, { agentId: 'x' }),
      event('tool.execution_complete', { toolCallId: 'c', success: false, error: { message: 'no' } }),
      event('session.error', { message: '400 no' }),
      event('session.compaction_complete', { summaryContent: 'So far …' }),
    ]);
    const session = await readOne(path);
    expect(talk(session)).toEqual([
      ['user', 'Please ask a helper'],
      ['system', 'You are …'],
      [
        'assistant',
        [
          { type: 'thinking', thinking: 'Ask somebody.' },
          { type: 'text', text: 'I ask.' },
        ],
        '→ task',
      ],
      ['developer', 'List'],
      ['tool', 'no', 'of task'],
      ['system', [{ type: 'error', text: '400 no' }]],
      ['system', [{ type: 'compaction', text: 'So far …' }]],
    ]);
    expect(session.messages[4]?.failed).toBe(true);
    expect(session.facts).toMatchObject({ id: ID, title: "It's a greeting", workdir: '/work/demo', model: 'm' });
  });

  it('are counted by call, and by the last total where the version tells of no calls', async () => {
    const said = event('user.message', { content: 'hi' });
    const record = (id: string) => event('session.usage_record', { usage: { model: 'm', apiCallId: id, ...tokens } });
    const doubled = { inputTokens: 1300, outputTokens: 14, cacheReadTokens: 200, cacheWriteTokens: 100 };
    for (const lines of [
      [start, said, record('1'), total(tokens), record('2'), total(doubled)],
      [start, said, total(tokens), total(doubled)],
    ]) {
      const { usage } = await readOne(writeLines(tempDir(), NAME, lines));
      expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 14, cacheReadTokens: 200, cacheWriteTokens: 100 });
    }
  });
});
