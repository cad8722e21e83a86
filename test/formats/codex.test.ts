import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { readOne, readTranscripts, talk, writeLines, writeText } from '../support/read-transcripts.ts';
import { rawZstd } from '../support/raw-zstd.ts';
import { tempDir } from '../support/temp-dir.ts';

const THREAD = '01a1de2a-1a43-7330-afe4-ae0b4fa84f23';
const OTHER = '01a1de2a-8ae6-7350-a655-f9b452d84bbc';
const ROLLOUT = '01a1de2b-8d19-74b3-9f9f-5be96f6d7f5d';
const fileOf = (id: string) => `.codex/sessions/2026/11/15/rollout-2026-11-15T07-44-23-${id}.jsonl`;

let second = 0;
const line = (type: string, payload: JsonObject): JsonObject => ({
  timestamp: `2026-11-15T07:44:${String(second++ % 60).padStart(2, '0')}.000Z`,
  type,
  payload,
});
const meta = (more: JsonObject = {}) =>
  line('session_meta', { id: THREAD, cwd: '/work/greeter', source: 'exec', ...more });
const item = (payload: JsonObject) => line('response_item', payload);
const said = (role: string, text: string, kinds?: string[]): JsonObject =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    ...(kinds && { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }),
  });
const model = line('turn_context', { model: 'stub-model', cwd: '/work/greeter' });
const used = { input_tokens: 1200, cached_input_tokens: 200, output_tokens: 40, reasoning_output_tokens: 12 };
const record = (id: string) => line('token_usage_record', { thread_id: THREAD, response_id: id, usage: used });
const total = (sum: number) =>
  line('event_msg', {
    type: 'token_count',
    info: { total_token_usage: { total_tokens: sum }, last_token_usage: used },
  });

describe('a rollout of Codex', () => {
  it('tells who said what, with calls, results, thoughts, compactions and failures', async () => {
    const path = writeLines(tempDir(), fileOf(THREAD), [
      meta(),
      model,
      said('developer', '<permissions instructions>'),
      said('user', '<environment_context>', ['environments.environment_context']),
      said('user', 'What does it do?', ['user.text']),
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look at the file.' }], content: null }),
      item({ type: 'reasoning', summary: [], encrypted_content: 'xx' }),
      item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'c1' }),
      item({ type: 'function_call_output', call_id: 'c1', output: 'Process exited with code 2\nOutput:\nno' }),
      said('assistant', 'It greets.'),
      line('event_msg', { type: 'agent_message', message: 'It greets.' }),
      line('compacted', { message: 'So far …', replacement_history: [{ type: 'message' }] }),
      line('event_msg', { type: 'task_complete', error: { message: 'high demand' } }),
      line('quantum', {}),
    ]);
    const { sessions, unknown } = await readTranscripts(path);
    const [session] = sessions;
    expect(session && talk(session)).toEqual([
      ['developer', '<permissions instructions>'],
      ['developer', '<environment_context>'],
      ['user', 'What does it do?'],
      ['assistant', [{ type: 'thinking', thinking: 'Look at the file.' }]],
      ['assistant', '', '→ exec_command'],
      ['tool', 'Process exited with code 2\nOutput:\nno', 'of exec_command'],
      ['assistant', 'It greets.'],
      ['system', [{ type: 'compaction', text: 'So far …' }]],
      ['system', [{ type: 'error', text: 'high demand' }]],
    ]);
    expect(session?.messages[5]?.failed).toBe(true);
    expect(session?.facts).toMatchObject({
      id: THREAD,
      title: 'What does it do?',
      workdir: '/work/greeter',
      model: 'stub-model',
    });
    expect(unknown).toEqual(['quantum']);
  });

  it('counts each answer once, whether the version writes records or only running totals', async () => {
    const records = [meta(), model, said('user', 'hi'), record('r1'), total(1240), record('r2'), total(2480)];
    const totals = [meta(), model, said('user', 'hi'), total(1240), total(1240), total(2480)];
    for (const lines of [records, totals]) {
      const { usage, calls } = await readOne(writeLines(tempDir(), fileOf(THREAD), lines));
      expect(calls).toHaveLength(2);
      expect(usage).toMatchObject({ inputTokens: 2000, outputTokens: 80, cacheReadTokens: 400, reasoningTokens: 24 });
    }
  });

  it('names the thread it came out of, and has only its own words', async () => {
    const parents = async (name: string, more: JsonObject) => {
      const { facts } = await readOne(writeLines(tempDir(), fileOf(name), [meta(more), said('user', 'hi')]));
      return [facts.id, facts.parentId, facts.childKind];
    };
    const spawn = { subagent: { thread_spawn: { parent_thread_id: OTHER } } };
    expect(await parents(THREAD, { forked_from_id: OTHER })).toEqual([THREAD, OTHER, 'branch']);
    expect(await parents(THREAD, { source: spawn })).toEqual([THREAD, OTHER, 'subagent']);
    expect(await parents(`${THREAD}_${ROLLOUT}`, {})).toEqual([ROLLOUT, THREAD, 'branch']);
  });

  it('has the name that a person gave to the thread, the last one', async () => {
    const dir = tempDir();
    writeLines(dir, '.codex/session_index.jsonl', [
      { id: THREAD, thread_name: 'old name' },
      { id: OTHER, thread_name: 'of another' },
      { id: THREAD, thread_name: 'About the greeter' },
      { id: OTHER, thread_name: `about ${THREAD}` },
    ]);
    const { facts } = await readOne(writeLines(dir, fileOf(THREAD), [meta(), said('user', 'hi')]));
    expect(facts.title).toBe('About the greeter');
  });

  it('reads the first versions, which had no types around what was said', async () => {
    const path = writeLines(tempDir(), fileOf(THREAD), [
      { id: THREAD, timestamp: '2025-05-07T17:24:21.000Z', instructions: null },
      { record_type: 'state' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>x' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    ]);
    expect(talk(await readOne(path))).toEqual([
      ['developer', '<environment_context>x'],
      ['user', 'hello'],
    ]);
  });

  it('leaves names and prompts beside the rollouts alone', async () => {
    const index = writeLines(tempDir(), 'session_index.jsonl', [{ id: THREAD, thread_name: 'x', updated_at: 'now' }]);
    await expect(readTranscripts(index)).rejects.toThrow('nobody recognises');
  });

  it('reads what Codex has compressed, and says when it is cut off', async () => {
    const dir = tempDir();
    const lines = [meta(), said('user', 'hello from the cold'), record('r1')];
    const packed = rawZstd(lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const file = `${fileOf(THREAD)}.zst`;
    expect(talk(await readOne(writeText(dir, file, packed)))).toEqual([['user', 'hello from the cold']]);
    const cut = writeText(dir, file, packed.subarray(0, packed.length - 20));
    await expect(readTranscripts(cut)).rejects.toThrow('cut off or damaged');
  });
});
