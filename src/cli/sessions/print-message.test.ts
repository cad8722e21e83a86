import { describe, expect, it } from 'vitest';
import type { NewMessage } from '../../core/sessions/message.ts';
import { createColour } from '../print/colour.ts';
import type { TextOutput } from '../io.ts';
import { printMessage } from './print-message.ts';

function printed(message: NewMessage): string[] {
  const lines: string[] = [];
  const out = { colour: createColour(false), write: (text: string) => lines.push(text) } as unknown as TextOutput;
  printMessage(out, { seq: 1, at: 0, ...message });
  return lines.slice(1).join('').trimEnd().split('\n');
}

describe('a message on a terminal', () => {
  it('shows the tools that are called, wherever the provider puts the call', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }];
    expect(printed({ role: 'assistant', content })).toEqual(['→ Bash {"command":"ls"}']);
    const toolCalls = [{ id: 't', name: 'look', arguments: '{ "a": 1 }' }];
    expect(printed({ role: 'assistant', content: '', toolCalls })).toEqual(['→ look {"a":1}']);
    expect(
      printed({ role: 'assistant', content: '', toolCalls: [{ id: 't', name: 'say', arguments: 'not json' }] }),
    ).toEqual(['→ say not json']);
  });

  it('shows what tools gave back, and names images without their data', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4000) };
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [
          { type: 'text', text: 'found' },
          { type: 'image', source },
        ],
      },
      { type: 'image', mimeType: 'image/gif', data: 'A'.repeat(400) },
    ];
    expect(printed({ role: 'user', content })).toEqual([
      'found',
      '[image: image/png, 3000 bytes]',
      '[image: image/gif, 300 bytes]',
    ]);
  });

  it('tells thoughts, summaries and errors from what was said', () => {
    const content = [
      { type: 'thinking', thinking: 'Look first.', signature: 'x' },
      { type: 'redacted_thinking', data: 'AAAA' },
      { type: 'text', text: 'I look.' },
      { type: 'compaction', text: 'So far …' },
      { type: 'error', text: '529' },
    ];
    expect(printed({ role: 'assistant', content })).toEqual([
      '(thinking) Look first.',
      '[hidden by the provider]',
      'I look.',
      '(summary) So far …',
      '(error) 529',
    ]);
  });
});
