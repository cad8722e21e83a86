import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json.ts';
import { contentText, toolCallsText } from './message.ts';

describe('the words of a content', () => {
  it('are the content itself when it is text', () => {
    expect(contentText('a\nb')).toBe('a\nb');
  });

  it('are those of every kind of part that has words, one below the other', () => {
    const parts: JsonObject[] = [
      { type: 'text', text: 'one' },
      { type: 'thinking', thinking: 'two', signature: 'not this' },
      { type: 'refusal', refusal: 'three' },
      { type: 'function_call_output', output: 'four' },
      { type: 'tool_result', content: 'five' },
      {
        type: 'tool_result',
        content: [
          { type: 'text', text: 'six' },
          { type: 'image', data: 'not this' },
        ],
      },
    ];
    expect(contentText(parts)).toBe('one\ntwo\nthree\nfour\nfive\nsix');
  });

  it('are also the tools that are called among them, for whoever looks for a command', () => {
    const parts: JsonObject[] = [
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } },
      { type: 'function_call', name: 'look', arguments: '{"a":1}', call_id: 'c' },
    ];
    expect(contentText(parts)).toBe('Bash {"command":"ls"}\nlook {"a":1}');
  });

  it('leave out images, data and what has no words', () => {
    expect(
      contentText([{ type: 'image', source: { data: 'AAAA' } }, { type: 'text', text: '' }, { text: 7 }, {}]),
    ).toBe('');
  });

  it('are found however deep the content is, without end', () => {
    let parts: readonly JsonObject[] = [{ text: 'deep' }];
    for (let depth = 0; depth < 5; depth += 1) parts = [{ content: parts }];
    expect(contentText(parts)).toBe('deep');
    for (let depth = 0; depth < 100_000; depth += 1) parts = [{ content: parts }];
    expect(contentText(parts)).toBe('');
  });

  it('are text for any JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (parts) => {
        expect(typeof contentText(parts as JsonObject[])).toBe('string');
      }),
    );
  });
});

const call = (name: string, value: JsonValue) => ({ id: '1', name, arguments: value });

describe('the words of tool calls', () => {
  it('are each name and what it was given', () => {
    expect(toolCallsText([call('read', { path: 'x' }), call('run', 'ls -l'), call('stop', '')])).toBe(
      'read {"path":"x"}\nrun ls -l\nstop',
    );
  });

  it('are nothing when there are none', () => {
    expect(toolCallsText(undefined)).toBe('');
    expect(toolCallsText([])).toBe('');
  });
});
