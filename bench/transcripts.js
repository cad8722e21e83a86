// How fast the transcripts of other agents are read, beside JSON.parse over the same lines.
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { claudeFormat } from '../dist/homes/claude-code/claude-format.js';
import { codexFormat } from '../dist/homes/codex/codex-format.js';
import { readLineBatches } from '../dist/platform/text/read-line-batches.js';
import { compare, format, report } from './measure.js';

const TURNS = 20_000;
const ROUNDS = 7;

export async function benchTranscripts(scratch) {
  await benchFormat(claudeFormat, writeTurns(join(scratch, 'claude.jsonl'), claudeTurn));
  await benchFormat(codexFormat, writeTurns(join(scratch, 'rollout-codex.jsonl'), codexTurn));
}

async function benchFormat(reader, path) {
  const { ratio, oursMs, bareMs } = await compare(
    ROUNDS,
    () => readAll(reader, path),
    () => parseAll(path),
  );
  const usual = await parseUsually(path);
  const note = `${format(oursMs)} ms, bare ${format(bareMs)} ms, line by line ${format(usual)} ms`;
  report(`read a transcript of ${reader.title} / JSON.parse of its lines`, ratio, { limit: 1 / 0.7, unit: '×', note });
}

async function readAll(reader, path) {
  let messages = 0;
  for await (const { pieces } of reader.read({ path, sizeBytes: 0, modifiedAt: 0 }))
    for (const { kind } of pieces) messages += kind === 'message' ? 1 : 0;
  if (messages < TURNS) throw new Error(`${messages} messages were read`);
}

/** The lines come as quickly as they come for the format; only what is made of them differs. */
async function parseAll(path) {
  for await (const { lines } of readLineBatches(path, { maxLineBytes: 1e8 }))
    for (const line of lines) if (line !== '') JSON.parse(line);
}

async function parseUsually(path) {
  const startedAt = performance.now();
  for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
  return performance.now() - startedAt;
}

function writeTurns(path, turnOf) {
  const lines = [];
  for (let turn = 0; turn < TURNS; turn += 1) lines.push(...turnOf(turn));
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

const WORDS = 'the quick brown fox jumps over the lazy dog and finds a file. '.repeat(4);
const CODE = '\tconst greeting = `Hello, ${name}`;\n'.repeat(20);

function claudeTurn(turn) {
  const sessionId = '22222222-2222-4222-8222-222222222222';
  const timestamp = new Date(1_794_728_564_000 + turn * 1000).toISOString();
  const outer = {
    isSidechain: false,
    userType: 'external',
    cwd: '/work/demo',
    sessionId,
    version: '2.1.325',
    gitBranch: 'main',
    timestamp,
  };
  const usage = {
    input_tokens: 1200,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 7,
    output_tokens: 40,
    service_tier: 'standard',
  };
  const user = (content) => ({ ...outer, type: 'user', uuid: `u${turn}`, message: { role: 'user', content } });
  const said = (part) => ({
    ...outer,
    type: 'assistant',
    uuid: `a${turn}`,
    requestId: `req_${turn}`,
    message: {
      id: `msg_${turn}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [part],
      stop_reason: 'tool_use',
      usage,
    },
  });
  return [
    user(`${turn} ${WORDS}`),
    said({ type: 'text', text: WORDS }),
    said({ type: 'tool_use', id: `t${turn}`, name: 'Read', input: { file_path: '/work/demo/greet.js', offset: turn } }),
    user([{ type: 'tool_result', tool_use_id: `t${turn}`, content: CODE }]),
  ];
}

function codexTurn(turn) {
  const timestamp = new Date(1_794_728_564_000 + turn * 1000).toISOString();
  const line = (type, payload) => ({ timestamp, ordinal: turn, type, payload });
  const usage = {
    input_tokens: 1200,
    cached_input_tokens: 200,
    output_tokens: 40,
    reasoning_output_tokens: 12,
    total_tokens: 1240,
  };
  return [
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: `${turn} ${WORDS}` }],
    }),
    line('response_item', {
      type: 'function_call',
      name: 'exec_command',
      arguments: '{"cmd":"ls"}',
      call_id: `c${turn}`,
    }),
    line('response_item', { type: 'function_call_output', call_id: `c${turn}`, output: CODE }),
    line('token_usage_record', { thread_id: 't', response_id: `r${turn}`, usage }),
    line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: WORDS }] }),
  ];
}
