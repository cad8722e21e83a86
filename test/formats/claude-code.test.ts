import { describe, expect, it } from 'vitest';
import { claudeLines } from '../support/claude-lines.ts';
import { readOne, readTranscripts, talk, writeLines, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const ID = '22222222-2222-4222-8222-222222222222';
const FILE = `projects/-work-demo/${ID}.jsonl`;
const line = claudeLines(ID);

describe('a transcript of Claude Code', () => {
  it('tells who said what, which tools were called and what they answered', async () => {
    const path = writeLines(tempDir(), FILE, [
      { type: 'file-history-snapshot', messageId: 'u0', snapshot: {} },
      line.user('Please change the greeting'),
      line.replay('Please change the greeting'),
      line.assistant('m1', { type: 'thinking', thinking: 'Look first.', signature: 'c3R1Yg==' }),
      line.text('m1', 'I will read it.'),
      line.call('m1', 'Read', { file_path: '/work/demo/greet.py' }),
      line.result('m1', [{ type: 'text', text: 'def greet' }]),
      line.call('m2', 'Bash', { command: 'false' }),
      line.result('m2', 'it failed', { is_error: true }),
      line.text('m3', 'Done.'),
      { type: 'custom-title', customTitle: 'The greeting', sessionId: ID },
    ]);
    const session = await readOne(path);
    expect(talk(session)).toEqual([
      ['user', 'Please change the greeting'],
      ['assistant', [{ type: 'thinking', thinking: 'Look first.', signature: 'c3R1Yg==' }]],
      ['assistant', 'I will read it.'],
      ['assistant', '', '→ Read'],
      ['tool', 'def greet', 'of Read'],
      ['assistant', '', '→ Bash'],
      ['tool', 'it failed', 'of Bash'],
      ['assistant', 'Done.'],
    ]);
    expect(session.messages[6]).toMatchObject({ failed: true, toolCallId: 't_m2' });
    expect(session.facts).toEqual({
      id: ID,
      title: 'The greeting',
      workdir: '/work/demo',
      model: 'claude-sonnet-4-5',
      startedAt: Date.UTC(2026, 10, 15, 7, 0),
      lastActiveAt: Date.UTC(2026, 10, 15, 7, 7),
    });
  });

  it('counts each answer of the model once, and the last that was said of it', async () => {
    const path = writeLines(tempDir(), FILE, [
      line.user('hi'),
      line.text('m1', 'a', { output_tokens: 1 }),
      line.text('m1', 'b', { output_tokens: 42 }),
      line.text('m2', 'c'),
      line.text('m1', 'copied'),
    ]);
    const { usage, calls } = await readOne(path);
    expect(calls).toEqual(['m1', 'm2']);
    expect(usage).toMatchObject({ inputTokens: 200, outputTokens: 52, cacheReadTokens: 14, cacheWriteTokens: 6 });
  });

  it('keeps the line of the agent beside each message, without what the message holds already', async () => {
    const { messages } = await readOne(writeLines(tempDir(), FILE, [line.user('What is this?', { promptId: 'p' })]));
    expect(JSON.parse(JSON.stringify(messages[0]?.metadata))).toMatchObject({
      agent: 'claude-code',
      line: { type: 'user', promptId: 'p', version: '2.1.325', message: { role: 'user' } },
    });
    expect(JSON.stringify(messages[0]?.metadata)).not.toContain('What is this?');
  });

  it('tells prompts from what the program says in the name of the user, and summaries and errors from both', async () => {
    const path = writeLines(tempDir(), FILE, [
      line.user('<local-command-stdout>', { isMeta: true }),
      line.user('hi'),
      line.user('<task-notification>', { promptSource: 'system' }),
      line.user('What was said so far: …', { isCompactSummary: true }),
      { ...line.text('m9', 'API Error: 529'), isApiErrorMessage: true },
      { type: 'system', subtype: 'api_error', sessionId: ID, error: { message: 'overloaded' } },
      { type: 'attachment', sessionId: ID, attachment: { type: 'queued_command', prompt: 'and then this' } },
    ]);
    expect(talk(await readOne(path))).toEqual([
      ['developer', '<local-command-stdout>'],
      ['user', 'hi'],
      ['developer', '<task-notification>'],
      ['system', [{ type: 'compaction', text: 'What was said so far: …' }]],
      ['assistant', [{ type: 'error', text: 'API Error: 529' }]],
      ['system', [{ type: 'error', text: 'overloaded' }]],
      ['user', 'and then this'],
    ]);
  });

  it('knows a subagent by its file, and what it was asked for', async () => {
    const dir = tempDir();
    const folder = `projects/-work-demo/${ID}/subagents`;
    writeText(dir, `${folder}/agent-a1b2.meta.json`, '{"agentType":"lister","description":"List functions"}');
    const path = writeLines(dir, `${folder}/agent-a1b2.jsonl`, [
      { type: 'fork-context-ref', agentId: 'a1b2', parentSessionId: ID },
      { ...line.user('List them.'), isSidechain: true, agentId: 'a1b2' },
    ]);
    const { facts, messages } = await readOne(path);
    expect(facts).toMatchObject({
      id: `${ID}.agent-a1b2`,
      parentId: ID,
      childKind: 'subagent',
      title: 'List functions',
    });
    expect(messages[0]?.role).toBe('user');
  });

  it('leaves a half-written last line for later, counts unknown kinds, and names lines that are broken', async () => {
    const whole = [line.user('hi'), { type: 'quantum-state', sessionId: ID }].map((value) => JSON.stringify(value));
    const path = writeText(tempDir(), FILE, `${whole.join('\n')}\nnot json\n[1]\n{"type":"assist`);
    const { unknown, problems, sessions } = await readTranscripts(path);
    expect({ unknown, problems }).toEqual({
      unknown: ['quantum-state'],
      problems: ['unreadable-line', 'unreadable-line', 'torn-line'],
    });
    expect(sessions).toHaveLength(1);
  });

  it('is no session while nobody has said anything', async () => {
    const path = writeLines(tempDir(), FILE, [
      { type: 'mode', mode: 'normal', sessionId: ID },
      line.user('<caveat>', { isMeta: true }),
    ]);
    expect((await readTranscripts(path)).sessions).toEqual([]);
  });

  it('takes the title that counts most: given, found, and at last what was asked', async () => {
    const dir = tempDir();
    const titled = async (...lines: object[]) =>
      (await readOne(writeLines(dir, FILE, [line.user('first\nprompt'), ...(lines as [])]))).facts.title;
    expect(await titled()).toBe('first prompt');
    expect(await titled({ type: 'last-prompt', lastPrompt: 'last', sessionId: ID })).toBe('last');
    const found = { type: 'ai-title', aiTitle: 'found', sessionId: ID };
    expect(await titled(found, { type: 'last-prompt', lastPrompt: 'last', sessionId: ID })).toBe('found');
    writeText(dir, `projects/-work-demo/${ID}/custom-title.json`, '{\n  "customTitle": "given"\n}');
    expect(await titled(found)).toBe('given');
  });
});
