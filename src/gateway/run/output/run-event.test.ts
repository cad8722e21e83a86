import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRunEvent } from './run-event.ts';

const read = (value: unknown) => readRunEvent(JSON.stringify(value));

describe('readRunEvent', () => {
  it.each([
    [
      {
        coppice: 'message',
        role: 'tool',
        content: 'a',
        toolCallId: '1',
        name: 'ls',
        failed: true,
        metadata: { a: [1] },
      },
      {
        kind: 'message',
        message: { role: 'tool', content: 'a', toolCallId: '1', name: 'ls', failed: true, metadata: { a: [1] } },
      },
    ],
    [
      {
        coppice: 'message',
        role: 'assistant',
        content: [{ type: 'text' }],
        toolCalls: [{ id: '1', name: 'ls', arguments: null }],
      },
      {
        kind: 'message',
        message: {
          role: 'assistant',
          content: [{ type: 'text' }],
          toolCalls: [{ id: '1', name: 'ls', arguments: null }],
        },
      },
    ],
    [
      { coppice: 'usage', model: 'm', inputTokens: 1, costUsd: 0.5 },
      { kind: 'usage', usage: { model: 'm', inputTokens: 1, costUsd: 0.5 } },
    ],
    [
      { coppice: 'usage', model: 'm', cumulative: true },
      { kind: 'usage', usage: { model: 'm' }, cumulative: '' },
    ],
    [
      { coppice: 'usage', model: 'm', cumulative: 'helper' },
      { kind: 'usage', usage: { model: 'm' }, cumulative: 'helper' },
    ],
    [
      { coppice: 'tool', name: 'bash', ok: true, id: '1', args: ['ls'] },
      { kind: 'tool', name: 'bash', ok: true, id: '1', args: ['ls'] },
    ],
    [{ coppice: 'iteration', later: 1 }, { kind: 'iteration' }],
    [
      { coppice: 'title', title: 'A title' },
      { kind: 'title', title: 'A title' },
    ],
    [
      { coppice: 'note', text: '' },
      { kind: 'note', text: '' },
    ],
  ])('reads %j', (line, event) => {
    expect(read(line)).toEqual({ status: 'event', event });
  });

  it.each([
    [{ coppice: 'dance' }, 'names an event that is not known'],
    [{ coppice: null }, 'names an event that is not known'],
    [{ coppice: 'message', role: 'nobody', content: '' }, 'role'],
    [{ coppice: 'message', role: 'user', content: [1] }, 'content'],
    [{ coppice: 'usage', model: 'm', inputTokens: 1.5 }, 'inputTokens'],
    [{ coppice: 'usage', model: 'm', costUsd: -1 }, 'costUsd'],
    [{ coppice: 'usage', model: '' }, 'model'],
    [{ coppice: 'tool', name: 'bash' }, 'ok'],
    [{ coppice: 'title', title: 'two\nlines' }, 'title'],
  ])('refuses %j and says what is wrong', (line, problem) => {
    expect(read(line)).toEqual({ status: 'refused', problem: expect.stringContaining(problem) });
  });

  it('refuses a title that the store would not take', () => {
    expect(read({ coppice: 'title', title: 'x'.repeat(5000) }).status).toBe('refused');
  });

  it('refuses what could not be written down again', () => {
    const line = `{"coppice":"tool","name":"x","ok":true,"args":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(readRunEvent(line)).toEqual({ status: 'refused', problem: 'is nested too deeply' });
  });

  it('never throws, whatever a line holds', () => {
    const lines = fc.oneof(
      fc.string(),
      fc.json(),
      fc.object().map((value) => JSON.stringify({ ...value, coppice: 'message' })),
    );
    fc.assert(
      fc.property(lines, (line) => {
        expect(['event', 'refused', 'foreign']).toContain(readRunEvent(line).status);
      }),
    );
  });
});
