import { describe, expect, it } from 'vitest';
import { hermesContent, hermesMessage } from './hermes-message.ts';

const row = (fields: object) => ({ id: 7, session_id: 's', role: 'user', content: 'hi', timestamp: 1.5, ...fields });

describe('a message of Hermes', () => {
  it('is its role, its content and its time', () => {
    expect(hermesMessage(row({}), 3, 0)).toEqual({ seq: 3, role: 'user', content: 'hi', at: 1500 });
  });

  it('takes the time at hand when it has none', () => {
    expect(hermesMessage(row({ timestamp: null }), 1, 99).at).toBe(99);
    expect(hermesMessage(row({ timestamp: 'noon' }), 1, 99).at).toBe(99);
  });

  it('keeps under their names what has no place of its own, and leaves out what says nothing', () => {
    const usual = { observed: 0, active: 1, compacted: 0, reasoning: null, finish_reason: '' };
    expect(hermesMessage(row(usual), 1, 0)).not.toHaveProperty('metadata');
    const extra = { reasoning: 'why', token_count: 3, active: 0, compacted: 1, display_identity: Buffer.from([1, 2]) };
    expect(hermesMessage(row(extra), 1, 0).metadata).toEqual({ ...extra, display_identity: 'AQI=' });
  });

  it('is taken back when it is not active, unless a compaction put it aside', () => {
    expect(hermesMessage(row({ active: 0, compacted: 0 }), 1, 0).rewound).toBe(true);
    expect(hermesMessage(row({ active: 0, compacted: 1 }), 1, 0)).not.toHaveProperty('rewound');
  });

  it('reads tool calls, and keeps as they are those that it does not understand', () => {
    const calls = [{ id: 'c', type: 'function', index: 2, function: { name: 'bash', arguments: '{}' } }];
    const read = hermesMessage(row({ tool_calls: JSON.stringify(calls) }), 1, 0);
    expect(read.toolCalls).toEqual([{ id: 'c', name: 'bash', arguments: '{}', index: 2 }]);
    for (const odd of ['not json', '{"a":1}', '[{"id":"c"}]']) {
      const message = hermesMessage(row({ tool_calls: odd }), 1, 0);
      expect(message).not.toHaveProperty('toolCalls');
      expect(message.metadata).toEqual({ tool_calls: odd });
    }
  });

  it('is a message of the system when its role is one that Coppice does not have', () => {
    expect(hermesMessage(row({ role: 'session_meta' }), 1, 0)).toMatchObject({
      role: 'system',
      metadata: { role: 'session_meta' },
    });
  });
});

describe('the content of a message of Hermes', () => {
  it.each([
    ['plain', 'plain'],
    ['\0json:"text"', 'text'],
    ['\0json:{"type":"text","text":"a"}', [{ type: 'text', text: 'a' }]],
    ['\0json:["a",{"type":"image"},1]', [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: '1' }]],
    ['\0json:{ half', '\0json:{ half'],
    [null, ''],
  ])('of %j is %j', (stored, content) => {
    expect(hermesContent(stored)).toEqual(content);
  });
});
