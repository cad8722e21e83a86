/** Bytes that are to be stored. They may be asked for more than once, because what goes over a network may have to be sent again. */
export interface ObjectSource {
  readonly sizeBytes: number;
  /** Exactly so many bytes from there. */
  read(offsetBytes: number, lengthBytes: number): Promise<Uint8Array>;
}

export interface ObjectEntry {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface ObjectRange {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
}

export interface PutOptions {
  /** Only where nothing has this key yet. */
  readonly onlyNew?: boolean;
}

/**
 * What became of an object that was put. `refused` is of stores that do not know the condition and say so; nothing was stored then. Others
 * pass over it and store all the same, which only `probeObjects` finds out.
 */
export type PutResult = 'stored' | 'there-already' | 'refused';

/**
 * Whole objects under keys: a folder, or a bucket of a server. Keys are names of letters, digits, `.`, `_` and `-`, with `/` between them.
 * What does not work for long enough, or at all, is a `Failure` in a sentence; trouble that passes is waited for inside.
 */
export interface ObjectStore {
  /** Where it is, for people. No secret is in it. */
  readonly place: string;
  /** Stores an object, whole or not at all. It is there for everybody, and durable, when this resolves. */
  put(key: string, source: ObjectSource, options?: PutOptions): Promise<PutResult>;
  /** Its bytes in order, all or a range, some at a time; undefined where nothing has the key. Bytes that are missing are a failure. */
  get(key: string, range?: ObjectRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** How large it is; undefined where nothing has the key. */
  sizeOf(key: string): Promise<number | undefined>;
  /** The objects whose keys begin with this, in the order of their keys. */
  list(prefix: string): AsyncIterable<ObjectEntry>;
  /** Removes what has this key, and what was begun under it and never finished. Where there is nothing, nothing happens. */
  remove(key: string): Promise<void>;
  /** The keys beginning with this under which something was begun and never finished. */
  unfinished(prefix: string): AsyncIterable<string>;
}

/** A source of bytes that are at hand. */
export function bytesSource(bytes: Uint8Array): ObjectSource {
  return {
    sizeBytes: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

/** All of an object that is known to be small. */
export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
