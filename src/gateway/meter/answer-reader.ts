import { type AnswerUsage, modelIn, usageIn, usageOf } from './model-api.ts';

/** Reads along what a model answers, without keeping it. */
export interface AnswerReader {
  add(bytes: Buffer): void;
  /** What was told, and how much came. */
  end(): ReadAnswer;
}

export interface ReadAnswer {
  readonly usage: AnswerUsage;
  readonly model?: string;
  /** The answer told its usage to the end; otherwise what is there is at most the beginning. */
  readonly complete: boolean;
  /** At least so many tokens as came: what an answer that broke off is billed for. */
  readonly outputEstimate: number;
}

/** Longer lines of a stream, and more of the end of a document, are not kept. Usage stands in short lines, and at the end. */
const MOST_BYTES = 256 * 1024;
/** What an event of a stream takes besides its text. */
const EVENT_BYTES = 100;
/** Fewer bytes than a token has in any language. */
const BYTES_PER_TOKEN = 3;
const LF = 0x0a;

/** For a stream of events. Wherever the pieces are cut, lines are read as a whole. */
export function createStreamReader(): AnswerReader {
  let usage: AnswerUsage = {};
  let model: string | undefined;
  let isTold = false;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let bytes = 0;
  let events = 0;

  const readLine = (line: Buffer): void => {
    if (!line.subarray(0, 5).equals(DATA)) return;
    events += 1;
    const text = line.subarray(5).toString();
    if (!LOOKED_FOR.test(text)) return;
    const part = parsed(text);
    model ??= modelIn(part);
    const told = usageIn(part);
    if (told === undefined) return;
    usage = { ...usage, ...told };
    // At the start Anthropic tells the input, with an output that has only begun.
    isTold = !text.includes('"message_start"');
  };
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    let from = 0;
    for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, from)) {
      held.push(piece.subarray(from, end));
      readLine(held.length === 1 ? (held[0] ?? piece) : Buffer.concat(held));
      held = [];
      heldBytes = 0;
      from = end + 1;
    }
    const rest = piece.subarray(from);
    heldBytes += rest.length;
    if (heldBytes <= MOST_BYTES) held.push(Buffer.from(rest));
  };
  return {
    add,
    end() {
      add(Buffer.from('\n'));
      const text = Math.ceil(Math.max(0, bytes - events * EVENT_BYTES) / BYTES_PER_TOKEN);
      const outputEstimate = Math.max(events, text);
      return { usage, ...(model !== undefined && { model }), complete: isTold, outputEstimate };
    },
  };
}

const DATA = Buffer.from('data:');
const LOOKED_FOR = /"usage"|"usageMetadata"|"model"/;

/** For one document. Of a large one only the end is kept, where usage stands in all shapes. */
export function createDocumentReader(): AnswerReader {
  const pieces: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  return {
    add(piece) {
      bytes += piece.length;
      keptBytes += piece.length;
      pieces.push(piece);
      for (let first = pieces[0]; first && keptBytes - first.length >= MOST_BYTES; first = pieces[0]) {
        keptBytes -= first.length;
        pieces.shift();
      }
    },
    end() {
      const kept = Buffer.concat(pieces);
      const outputEstimate = Math.ceil(bytes / BYTES_PER_TOKEN);
      const text = kept.toString();
      const whole = kept.length === bytes ? parsed(text) : undefined;
      const parts = Array.isArray(whole) ? (whole as readonly unknown[]) : [whole];
      const told = parts.map(usageIn).findLast((usage) => usage !== undefined) ?? usageAtEnd(text);
      const model = parts.map(modelIn).find((name) => name !== undefined);
      return { usage: told ?? {}, ...(model !== undefined && { model }), complete: told !== undefined, outputEstimate };
    },
  };
}

/** The last usage in the end of a document whose beginning is not kept. */
function usageAtEnd(text: string): AnswerUsage | undefined {
  const key = Math.max(text.lastIndexOf('"usage"'), text.lastIndexOf('"usageMetadata"'));
  const start = text.indexOf('{', key);
  if (key === -1 || start === -1) return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth > 0) continue;
    const fields = parsed(text.slice(start, at + 1));
    return typeof fields === 'object' && fields !== null ? usageOf(fields as Record<string, unknown>) : undefined;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
