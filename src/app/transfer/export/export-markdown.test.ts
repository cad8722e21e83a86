import { describe, expect, it } from 'vitest';
import type { Message } from '../../../core/sessions/message.ts';
import { NO_USAGE, type SessionFacts } from '../../../core/sessions/session.ts';
import { exportMarkdown } from './export-markdown.ts';

const AT = Date.UTC(2026, 0, 1);
const FACTS: SessionFacts = {
  id: 'abc',
  source: 'cli',
  title: 'A title',
  startedAt: AT,
  lastActiveAt: AT,
  endedAt: AT,
  endReason: 'done',
  pinned: false,
  tags: ['x'],
  messageCount: 1,
  toolCallCount: 0,
  usage: { ...NO_USAGE, inputTokens: 3, costUsd: 0.5 },
  contentBytes: 0,
  transcriptBytes: 0,
  dumpBytes: 0,
};

describe('exportMarkdown', () => {
  it('reads as a page: title, facts, then a heading for each message', async () => {
    const text = await markdown([
      { seq: 1, at: AT, role: 'user', content: 'List the files.' },
      {
        seq: 2,
        at: AT,
        role: 'assistant',
        content: 'Yes.',
        toolCalls: [{ id: '1', name: 'ls', arguments: { path: '/' } }],
      },
      { seq: 3, at: AT, role: 'tool', content: 'a\nb', name: 'ls', failed: true },
    ]);
    expect(text).toBe(`# A title

- Session: abc
- Source: cli
- Tags: x
- Started: 2026-01-01T00:00:00.000Z
- Last active: 2026-01-01T00:00:00.000Z
- Ended: 2026-01-01T00:00:00.000Z (done)
- Messages: 1
- Tokens: 3
- Cost: 0.5 USD

## user · 2026-01-01T00:00:00.000Z

List the files.

## assistant · 2026-01-01T00:00:00.000Z

Yes.

call of ls:

\`\`\`
{
  "path": "/"
}
\`\`\`

## tool · 2026-01-01T00:00:00.000Z

failed result of ls:

\`\`\`
a
b
\`\`\`
`);
  });

  it('shows a call that was given nothing', async () => {
    const toolCalls = [{ id: '1', name: 'now', arguments: '' }];
    expect(await markdown([{ seq: 1, at: AT, role: 'assistant', content: '', toolCalls }])).toContain('call of now:');
  });

  it('fences output with more backticks than it holds', async () => {
    const text = await markdown([{ seq: 1, at: AT, role: 'tool', content: 'x `````\n```` y' }]);
    expect(text).toContain('\n``````\nx `````\n```` y\n``````\n');
  });

  it.each([
    ['```js\nopen', '```js\nopen\n```'],
    ['~~~~\n```\n~~~', '~~~~\n```\n~~~\n~~~~'],
    ['```\nclosed\n```', '```\nclosed\n```'],
    ['``` inline ``` text', '``` inline ``` text'],
  ])('lets no message swallow the next: %j', async (content, shown) => {
    const text = await markdown([{ seq: 1, at: AT, role: 'user', content }]);
    expect(text.endsWith(`\n\n${shown}\n`)).toBe(true);
  });

  it('names images instead of embedding them, and shortens what nobody can read', async () => {
    const data = 'QUJD'.repeat(30_000);
    const text = await markdown([
      { seq: 1, at: AT, role: 'user', content: [{ type: 'image', source: { media_type: 'image/png', data } }] },
      { seq: 2, at: AT, role: 'user', content: [{ type: 'input_audio', input_audio: { data } }] },
    ]);
    expect(text).toContain('*[image: image/png, 90000 bytes]*');
    expect(text).toContain('… (120000 characters)');
    expect(text.length).toBeLessThan(2000);
  });

  it('shows control characters as replacement characters', async () => {
    expect(await markdown([{ seq: 1, at: AT, role: 'user', content: 'a\u001b[31m\0b\r\nc' }])).toContain('a�[31m�b\nc');
  });

  it('survives content that is nested too deeply to print', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`);
    expect(await markdown([{ seq: 1, at: AT, role: 'user', content: [deep] }])).toContain('nested too deeply');
  });
});

async function markdown(messages: readonly Message[]): Promise<string> {
  let text = '';
  for await (const chunk of exportMarkdown(session(messages))) text += chunk;
  return text;
}

async function* session(messages: readonly Message[]) {
  yield { facts: FACTS, usageByModel: [], messages: stream(messages) };
}

async function* stream(messages: readonly Message[]) {
  yield* messages;
}
