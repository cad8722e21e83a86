import type { TextOutput } from '../io.ts';

/** The version of the documents that `--json` prints. */
const SCHEMA_VERSION = 1;

const CHUNK_CHARS = 64 * 1024;

/** Prints one document for programs. */
export function writeJson(out: TextOutput, document: object): void {
  out.write(`${encode({ schemaVersion: SCHEMA_VERSION, ...document })}\n`);
}

/** A document on a single line, for output that has no end. */
export function jsonLine(document: object): string {
  return `${encode({ schemaVersion: SCHEMA_VERSION, ...document }, 0)}\n`;
}

export interface JsonList {
  /** The plural under which the list stands, such as `sessions`. */
  readonly name: string;
  readonly items: AsyncIterable<unknown>;
  /** What else the document says; it comes before the list. */
  readonly fields?: object;
}

/**
 * Prints one document with a list of any length, as it arrives and no faster than it is read. Returns the length.
 * Nothing is printed when the list fails before its first item.
 */
export async function writeJsonList(out: TextOutput, { name, items, fields }: JsonList): Promise<number> {
  let text = `${encode({ schemaVersion: SCHEMA_VERSION, ...fields }).slice(0, -'\n}'.length)},\n  ${encode(name)}: [`;
  let count = 0;
  for await (const item of items) {
    text += `${count === 0 ? '' : ','}\n    ${encode(item).replaceAll('\n', '\n    ')}`;
    count += 1;
    if (text.length < CHUNK_CHARS) continue;
    out.write(text);
    text = '';
    await out.drained();
  }
  out.write(`${text}${count === 0 ? '' : '\n  '}]\n}\n`);
  return count;
}

// JSON.stringify leaves these as they are, and a terminal may obey them.
const TERMINAL_CONTROLS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function encode(value: unknown, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replace(
    TERMINAL_CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
