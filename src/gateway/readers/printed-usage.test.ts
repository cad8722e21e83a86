import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printedUsageOf } from './printed-usage.ts';

const NONE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** What is read of an output that comes in one piece, or in pieces cut at these places. */
function read(start: readonly string[], output: string, cuts: readonly number[] = []) {
  const [agent = '', ...args] = start;
  const printed = printedUsageOf(agent, args) ?? expect.fail('nothing is read');
  const bytes = Buffer.from(output);
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].toSorted((a, b) => a - b);
  const calls = places.slice(1).flatMap((end, index) => printed.calls(bytes.subarray(places[index], end)));
  return { calls: calls.map(({ at: _, ...call }) => call), totals: printed.totals() };
}

function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
}

const CODEX = lines(
  { type: 'thread.started', thread_id: '01a1de2a-1a43-7330-afe4-ae0b4fa84f23' },
  { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: '{"type":"turn.completed"}' } },
  { type: 'turn.completed', usage: { input_tokens: 1200, cached_input_tokens: 200, output_tokens: 40 } },
  { type: 'turn.started' },
  {
    type: 'turn.completed',
    usage: { input_tokens: 2500, cached_input_tokens: 1000, output_tokens: 90, reasoning_output_tokens: 30 },
  },
);

const GEMINI = JSON.stringify(
  {
    session_id: 's',
    response: 'done\n{ "stats": 1 }',
    stats: {
      models: {
        'gemini-x-pro': {
          api: { totalRequests: 2, totalErrors: 0, totalLatencyMs: 90 },
          tokens: { input: 400, prompt: 500, candidates: 20, total: 560, cached: 100, thoughts: 30, tool: 10 },
        },
        'gemini-x-flash': { tokens: { prompt: 7, candidates: 3, total: 10, cached: 0, thoughts: 0, tool: 0 } },
      },
      tools: { totalCalls: 1 },
    },
  },
  undefined,
  2,
);

const STREAMED = { total_tokens: 560, input_tokens: 500, output_tokens: 20, cached: 100, input: 400 };

function piMessage(message: object): object {
  return { type: 'message_end', message: { role: 'assistant', model: 'm', ...message } };
}

const USED = { input: 1000, output: 40, cacheRead: 200, cacheWrite: 1, totalTokens: 1241, cost: { total: 0.1 } };

describe('what an agent prints about its calls', () => {
  it('of Codex is the sum of the thread so far; the last one counts', () => {
    const { calls, totals } = read(['codex', 'exec', '--json', 'do it'], CODEX);
    expect(calls).toEqual([]);
    const tokens = { ...NONE, inputTokens: 1500, cacheReadTokens: 1000, outputTokens: 90, reasoningTokens: 30 };
    expect(totals).toEqual([{ model: 'unknown', tokens }]);
    // A turn that failed says nothing of what it used.
    const failed = lines({ type: 'turn.started' }, { type: 'turn.failed', error: { message: 'x' } });
    expect(read(['codex', 'exec', '--experimental-json'], failed).totals).toEqual([]);
  });

  it('of Gemini CLI is one document at the end, model by model, whatever was said before it', () => {
    const pro = { ...NONE, inputTokens: 410, cacheReadTokens: 100, outputTokens: 50, reasoningTokens: 30 };
    const flash = { ...NONE, inputTokens: 7, outputTokens: 3 };
    const expected = [
      { model: 'gemini-x-pro', tokens: pro },
      { model: 'gemini-x-flash', tokens: flash },
    ];
    const start = ['gemini', '-p', 'x', '--output-format=json'];
    expect(read(start, GEMINI)).toEqual({ calls: [], totals: expected });
    expect(read(start, `Loaded cached credentials.\n${GEMINI}\n`).totals).toEqual(expected);
    expect(read(start, GEMINI.slice(0, -3)).totals).toEqual([]);
  });

  it('of Gemini CLI as a stream is its last line, with the thoughts that only the total has', () => {
    const start = ['gemini', '-p', 'x', '-o', 'stream-json'];
    const tokens = { ...NONE, inputTokens: 400, cacheReadTokens: 100, outputTokens: 60, reasoningTokens: 40 };
    const begun = [
      { type: 'init', session_id: 's', model: 'gemini-x-pro' },
      { type: 'tool_result', tool_id: 't', status: 'success', output: JSON.stringify({ stats: STREAMED }) },
    ];
    const result = (stats: object) => ({ type: 'result', status: 'success', stats });
    const now = lines(...begun, result({ ...STREAMED, models: { 'gemini-x-pro': STREAMED } }));
    expect(read(start, now).totals).toEqual([{ model: 'gemini-x-pro', tokens }]);
    expect(read(start, lines(...begun, result(STREAMED))).totals).toEqual([{ model: 'unknown', tokens }]);
    expect(read(start, lines(...begun)).totals).toEqual([]);
  });

  it('of pi is each answer that its provider has given an id, once', () => {
    const answer = piMessage({ responseId: 'resp_1', usage: USED, stopReason: 'stop' });
    const printed = lines(
      { type: 'session', id: '01a1de37-db0e-7308-bc28-28925a96bae7', cwd: '/w' },
      { type: 'agent_start' },
      { type: 'message_end', message: { role: 'user', content: 'x' } },
      { ...answer, type: 'message_start' },
      { ...answer, type: 'message_update' },
      answer,
      { ...answer, type: 'turn_end' },
      piMessage({ usage: USED }),
      piMessage({ responseId: 'resp_2', usage: { ...USED, input: Number.MAX_SAFE_INTEGER } }),
    );
    const tokens = { ...NONE, inputTokens: 1000, outputTokens: 40, cacheReadTokens: 200, cacheWriteTokens: 1 };
    const { calls, totals } = read(['pi', '-p', '--mode', 'json', 'x'], printed);
    expect({ calls, totals }).toEqual({ calls: [{ id: 'resp_1', model: 'm', tokens }], totals: [] });
  });

  it('of opencode is each step, by its own id', () => {
    const told = { input: 100, output: 7, reasoning: 3, cache: { read: 20, write: 1 } };
    const part = { id: 'prt_1', type: 'step-finish', tokens: told };
    const printed = lines({ type: 'step_start', part }, { type: 'step_finish', sessionID: 'ses', part });
    const tokens = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 1, reasoningTokens: 3 };
    const { calls } = read(['opencode', 'run', '--format', 'json', 'x'], printed);
    expect(calls).toEqual([{ id: 'prt_1', model: 'unknown', tokens }]);
  });

  it('is the same wherever the pieces of the output begin and end', () => {
    const starts = [
      { start: ['codex', 'exec', '--json'], output: CODEX.trimEnd() },
      { start: ['gemini', '-o', 'json'], output: `Words – before.\n${GEMINI}` },
      { start: ['pi', '--mode', 'json'], output: lines(piMessage({ responseId: 'é1', usage: USED })) },
    ];
    for (const { start, output } of starts) {
      const whole = read(start, output);
      fc.assert(
        fc.property(fc.array(fc.nat(10_000), { maxLength: 20 }), (cuts) => {
          expect(read(start, output, cuts)).toEqual(whole);
        }),
        { numRuns: 50 },
      );
    }
  });

  it('is not looked for where the agent was not asked to print JSON, or is not known', () => {
    for (const [agent = '', ...args] of [
      ['codex', 'exec', 'x'],
      ['codex', '--output-format', 'json'],
      ['gemini', '-p', 'json'],
      ['gemini', '--output-format', 'text'],
      ['gemini', '--output-format'],
      ['pi', '--mode', 'rpc'],
      ['pi', '-p', 'x'],
      ['cat', '--json'],
      ['toString', '--json'],
    ])
      expect([agent, args, printedUsageOf(agent, args)]).toEqual([agent, args, undefined]);
  });
});
