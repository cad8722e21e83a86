import { open } from 'node:fs/promises';
import { MAX_LINE_BYTES } from './read-json-lines.ts';

/** A value of a large JSON document, as text: an item of the list that is the document, or of a list right below it. */
export interface JsonMember {
  /** The key at the top, when the document is an object. */
  readonly key?: string;
  /** The place in the list; absent for a value that is not in a list. */
  readonly index?: number;
  /** Absent when it is too long to be held. */
  readonly text?: string;
}

/** What one look at the disk gave. */
export interface MemberBatch {
  readonly members: readonly JsonMember[];
  /** How far the file was read. */
  readonly offset: number;
  /** Whether the document came to its end. */
  readonly ended: boolean;
}

export type JsonMembers = AsyncGenerator<MemberBatch, void, undefined>;

const CHUNK_BYTES = 256 * 1024;
const [TAB, LF, CR, SPACE, QUOTE, COMMA, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];

/**
 * Cuts a JSON document of any size into the values near its top, in memory that depends only on the longest of them. Nothing is
 * parsed here, so damage shows where the values are.
 */
export async function* readJsonMembers(
  path: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): JsonMembers {
  const file = await open(path, 'r');
  const cutter = new Cutter();
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let offset = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      offset += bytesRead;
      const members = cutter.take(buffer.subarray(0, bytesRead));
      yield { members, offset, ended: cutter.ended };
    }
  } finally {
    await file.close();
  }
}

/** Follows the brackets of a document and knows where the values begin and end. */
class Cutter {
  ended = false;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** How deep the values lie that are cut out now: 1, or 2 in a list below an object. */
  #level = 1;
  #isObject = false;
  #key: string | undefined;
  #index: number | undefined;
  /** The bytes of the value, or of the key, that has begun. */
  #pieces: Buffer[] | undefined;
  #length = 0;
  #start: number | undefined;
  #found: JsonMember[] = [];

  take(chunk: Buffer): readonly JsonMember[] {
    this.#found = [];
    this.#start = this.#pieces === undefined ? undefined : 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else this.#mark(chunk, at, byte);
    }
    if (this.#start !== undefined) this.#keep(Buffer.from(chunk.subarray(this.#start)));
    return this.#found;
  }

  #mark(chunk: Buffer, at: number, byte: number): void {
    if (byte === SPACE || byte === LF || byte === CR || byte === TAB) return;
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(chunk, at);
    else if (byte === COMMA) this.#separate(chunk, at);
    else if (byte === COLON && this.#depth === 1 && this.#isObject && this.#key === undefined) this.#endKey(chunk, at);
    else this.#begin(at, byte);
  }

  #begin(at: number, byte: number): void {
    const opens = byte === OPEN_LIST || byte === OPEN_OBJECT;
    if (opens && this.#depth === 0) {
      this.#isObject = byte === OPEN_OBJECT;
      this.#index = this.#isObject ? undefined : 0;
    } else if (byte === OPEN_LIST && this.#depth === 1 && this.#isObject && this.#pieces === undefined) {
      // A list right below the document is cut into its items.
      this.#level = 2;
      this.#index = 0;
    } else if (this.#depth === this.#level && this.#pieces === undefined) {
      this.#pieces = [];
      this.#length = 0;
      this.#start = at;
    }
    if (opens) this.#depth += 1;
    if (byte === QUOTE) this.#inText = true;
  }

  #close(chunk: Buffer, at: number): void {
    if (this.#depth === this.#level) {
      this.#finish(chunk, at);
      if (this.#level === 2) {
        this.#level = 1;
        this.#index = undefined;
      }
    }
    this.#depth -= 1;
    if (this.#depth === 0) this.ended = true;
  }

  #separate(chunk: Buffer, at: number): void {
    if (this.#depth !== this.#level) return;
    this.#finish(chunk, at);
    if (this.#index !== undefined) this.#index += 1;
    else this.#key = undefined;
  }

  #endKey(chunk: Buffer, at: number): void {
    const text = this.#cut(chunk, at);
    this.#key = text === undefined ? '' : text.trim().slice(1, -1);
  }

  #finish(chunk: Buffer, at: number): void {
    if (this.#pieces === undefined) return;
    const text = this.#cut(chunk, at);
    const place = {
      ...(this.#key !== undefined && { key: this.#key }),
      ...(this.#index !== undefined && { index: this.#index }),
    };
    this.#found.push(text === undefined ? place : { ...place, text });
  }

  #cut(chunk: Buffer, at: number): string | undefined {
    if (this.#start !== undefined) this.#keep(chunk.subarray(this.#start, at));
    const text = this.#length > MAX_LINE_BYTES ? undefined : Buffer.concat(this.#pieces ?? []).toString('utf8');
    this.#pieces = undefined;
    this.#start = undefined;
    return text;
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > MAX_LINE_BYTES) this.#pieces = [];
    else this.#pieces?.push(piece);
  }
}
