import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { readMessage } from './read-message.ts';

describe('readMessage', () => {
  it.each<[string, JsonObject, object]>([
    ['plain text', { role: 'user', content: 'hi' }, { role: 'user', content: 'hi' }],
    ['a function result', { role: 'function', name: 'ls', content: 'x' }, { role: 'tool', name: 'ls', content: 'x' }],
    ['a human', { role: 'Human', content: 'hi' }, { role: 'user', content: 'hi' }],
    ['an ai', { role: 'ai', content: 'hi' }, { role: 'assistant', content: 'hi' }],
    ['a model', { role: 'model', content: 'hi' }, { role: 'assistant', content: 'hi' }],
    [
      "OpenAI's tool calls without text",
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{"a":1}' } }],
      },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'ls', arguments: '{"a":1}' }] },
    ],
    [
      "OpenAI's tool result",
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      { role: 'tool', toolCallId: 'c1', content: 'ok' },
    ],
    [
      'parts that are texts',
      { role: 'user', content: ['a', { type: 'image' }] },
      { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image' }] },
    ],
    ['a single part', { role: 'user', content: { text: 'a' } }, { role: 'user', content: [{ text: 'a' }] }],
    [
      'ISO time',
      { role: 'user', content: '', timestamp: '2026-01-01T00:00:00Z' },
      { role: 'user', content: '', at: Date.UTC(2026, 0, 1) },
    ],
    [
      'seconds',
      { role: 'user', content: '', ts: 1_700_000_000.5 },
      { role: 'user', content: '', at: 1_700_000_000_500 },
    ],
    [
      'milliseconds',
      { role: 'user', content: '', created_at: 1_700_000_000_000 },
      { role: 'user', content: '', at: 1_700_000_000_000 },
    ],
    [
      'seconds as text',
      { role: 'user', content: '', at: '1700000000' },
      { role: 'user', content: '', at: 1_700_000_000_000 },
    ],
    [
      'a time that makes no sense',
      { role: 'user', content: '', ts: 'yesterday' },
      { role: 'user', content: '', metadata: { ts: 'yesterday' } },
    ],
    [
      'unknown fields',
      { role: 'user', content: 'hi', id: 7, tags: ['x'] },
      { role: 'user', content: 'hi', metadata: { id: 7, tags: ['x'] } },
    ],
    [
      'unknown fields beside metadata',
      { role: 'user', content: 'hi', id: 7, metadata: { id: 8 } },
      { role: 'user', content: 'hi', metadata: { id: 7, metadata: { id: 8 } } },
    ],
    [
      'tool calls of no known shape',
      { role: 'assistant', content: 'x', tool_calls: [5] },
      { role: 'assistant', content: 'x', metadata: { tool_calls: [5] } },
    ],
    [
      'a wrapped message whose layers use the same names',
      {
        type: 'assistant',
        timestamp: 1_700_000_000,
        message: { role: 'assistant', type: 'message', content: 'hi', model: 'm' },
      },
      {
        role: 'assistant',
        content: 'hi',
        model: 'm',
        at: 1_700_000_000_000,
        metadata: { type: 'assistant', message: { type: 'message' } },
      },
    ],
  ])('understands %s', (_, line, expected) => {
    expect(readMessage(line)).toEqual(expected);
  });

  it.each<[JsonObject]>([
    [{}],
    [{ role: 'user' }],
    [{ role: 'user', content: 5 }],
    [{ role: 'user', content: [['nested']] }],
    [{ role: 'stranger', content: 'x' }],
    [{ message: { content: 'no role' } }],
    [{ message: 'text' }],
  ])('finds no message in %j', (line) => {
    expect(readMessage(line)).toBeUndefined();
  });

  it('loses no field that it does not know', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().map((key) => `x-${key}`),
          fc.jsonValue(),
        ),
        (extra) => {
          const message = readMessage({ ...extra, role: 'user', content: 'hi' });
          expect(message?.metadata ?? {}).toEqual(extra);
        },
      ),
    );
  });
});
