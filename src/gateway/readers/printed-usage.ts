import type { FoundTokens } from '../../core/gateway/spend-book.ts';
import { createLineSplitter } from '../run/output/line-splitter.ts';
import { claudeCall, codexTokens, piLines } from './agent-lines.ts';
import { callOf, countOf, type Fields, type FoundCall, fieldsAt, isFields, textOf } from './told-line.ts';

/** Reads what an agent prints about its calls where it was asked to print JSON. What its tools print stands in quotes there. */
export interface PrintedUsage {
  /** The calls that a piece of the output tells of. */
  calls(piece: Buffer): readonly FoundCall[];
  /** What it printed as the sum of all, for where nothing told of the calls themselves. */
  totals(): readonly Omit<FoundCall, 'id' | 'at'>[];
}

/** Of a document that is printed at the end, so much is kept. */
const MOST_BYTES = 1024 * 1024;
/** Where it begins: a word about something else may come before it. */
const DOCUMENT = /^\{/m;

/** Undefined for an agent that prints no usage, or was not asked to. */
export function printedUsageOf(agent: string, args: readonly string[]): PrintedUsage | undefined {
  const format = formatIn(args);
  const reads = Object.hasOwn(PRINTED, agent) ? PRINTED[agent] : undefined;
  if (reads === undefined || !reads.formats.includes(format)) return undefined;
  const splitter = createLineSplitter();
  let document = '';
  let totals: PrintedTotals = [];
  const readLine = (text: string): FoundCall | undefined => {
    const line = parsed(text);
    if (line === undefined) return undefined;
    const told = reads.totals(line);
    if (told.length > 0) totals = told;
    return reads.call(line);
  };
  return {
    calls(piece) {
      if (document.length < MOST_BYTES) document += piece.toString();
      const lines = [...splitter.lines(piece)].filter(({ cut }) => !cut);
      return lines.flatMap(({ bytes }) => readLine(bytes.toString()) ?? []);
    },
    totals() {
      const rest = splitter.rest();
      if (rest !== undefined && !rest.cut) readLine(rest.bytes.toString());
      const whole = totals.length > 0 ? undefined : parsed(document.slice(document.search(DOCUMENT)));
      return whole === undefined ? totals : reads.totals(whole);
    },
  };
}

/** The way in which it was asked to print: `--output-format X`, `--format X`, `--mode X`, or `--json`. */
function formatIn(args: readonly string[]): string {
  if (args.includes('--json') || args.includes('--experimental-json')) return '--json';
  const at = args.findIndex((arg) => FORMAT.test(arg));
  return FORMAT.exec(args[at] ?? '')?.[1] ?? args[at + 1] ?? '';
}

const FORMAT = /^(?:--output-format|--format|--mode|-o)(?:=(.*))?$/;

type PrintedTotals = readonly Omit<FoundCall, 'id' | 'at'>[];

interface Printed {
  readonly formats: readonly string[];
  readonly call: (line: Fields) => FoundCall | undefined;
  readonly totals: (line: Fields) => PrintedTotals;
}

const now = (): string => new Date().toISOString();
const PRINTED: Readonly<Record<string, Printed>> = {
  claude: {
    formats: ['json', 'stream-json'],
    call: (line) => (line['type'] === 'assistant' ? claudeCall(fieldsAt(line, 'message'), now()) : undefined),
    totals: (line) => Object.entries(fieldsAt(line, 'modelUsage')).map(([model, used]) => claudeTotal(model, used)),
  },
  codex: {
    formats: ['--json'],
    call: () => undefined,
    totals: (line) =>
      line['type'] === 'turn.completed' ? [{ model: 'unknown', tokens: codexTokens(line['usage']) }] : [],
  },
  gemini: {
    formats: ['json', 'stream-json'],
    call: () => undefined,
    totals: (line) => geminiTotals(fieldsAt(line, 'stats')),
  },
  pi: { formats: ['json'], call: piCall, totals: () => [] },
  opencode: { formats: ['json'], call: opencodeCall, totals: () => [] },
};

function claudeTotal(model: string, value: unknown): PrintedTotals[number] {
  const used = fieldsAt(value);
  const tokens: FoundTokens = {
    inputTokens: countOf(used['inputTokens']),
    outputTokens: countOf(used['outputTokens']),
    cacheReadTokens: countOf(used['cacheReadInputTokens']),
    cacheWriteTokens: countOf(used['cacheCreationInputTokens']),
    reasoningTokens: 0,
  };
  return { model, tokens };
}

/** Older versions print the sum of all models alone. */
function geminiTotals(stats: Fields): PrintedTotals {
  const models = Object.entries(fieldsAt(stats, 'models'));
  if (models.length === 0 && stats['total_tokens'] !== undefined) return [geminiTotal('unknown', stats)];
  return models.map(([model, told]) => geminiTotal(model, told));
}

function geminiTotal(model: string, value: unknown): PrintedTotals[number] {
  // One format has the figures of a model below `tokens`, the other beside each other.
  const told = isFields(fieldsAt(value)['tokens']) ? fieldsAt(value, 'tokens') : fieldsAt(value);
  const prompt = countOf(told['prompt'] ?? told['input_tokens']) + countOf(told['tool']);
  const cacheReadTokens = Math.min(prompt, countOf(told['cached']));
  const answered = countOf(told['candidates'] ?? told['output_tokens']);
  // A stream has thoughts in the total alone.
  const rest = countOf(told['total'] ?? told['total_tokens']) - prompt - answered;
  const reasoningTokens = Math.max(countOf(told['thoughts']), rest);
  const outputTokens = answered + reasoningTokens;
  const inputTokens = prompt - cacheReadTokens;
  return { model, tokens: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0, reasoningTokens } };
}

function piCall(line: Fields): FoundCall | undefined {
  if (line['type'] !== 'message_end') return undefined;
  const message = fieldsAt(line, 'message');
  // Without an id of the provider, its file alone tells of it.
  return message['responseId'] === undefined ? undefined : piLines()({ ...line, timestamp: now() }).call;
}

function opencodeCall(line: Fields): FoundCall | undefined {
  if (line['type'] !== 'step_finish') return undefined;
  const part = fieldsAt(line, 'part');
  const [told, cache] = [fieldsAt(part, 'tokens'), fieldsAt(part, 'tokens', 'cache')];
  const reasoningTokens = countOf(told['reasoning']);
  const tokens: FoundTokens = {
    inputTokens: countOf(told['input']),
    outputTokens: countOf(told['output']) + reasoningTokens,
    cacheReadTokens: countOf(cache['read']),
    cacheWriteTokens: countOf(cache['write']),
    reasoningTokens,
  };
  return callOf({ id: textOf(part['id']), at: now(), model: part['model'], tokens });
}

function parsed(text: string): Fields | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
