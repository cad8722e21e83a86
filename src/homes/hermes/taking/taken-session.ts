import { openRecordBook, type RecordBook } from './record-book.ts';
import { promptOf, readRecord } from './session-record.ts';
import { ownFolder } from './taken-places.ts';

/** A session in the trash of a run, as whoever keeps it elsewhere needs it. */
export interface StoredSession {
  /** Its record, line by line. */
  readonly record: Iterable<string>;
  readonly prompt: { readonly hash: string; readonly lines: readonly string[] } | undefined;
  /** The folder with its files, once they were gathered. There is none when it had no files. */
  readonly directory: string;
}

/** Where the trash of a run is, and the home that it lies below. */
export interface TrashPlace {
  readonly home: string;
  readonly root: string;
}

/** What the trash of a run, which is `root`, has of a session, as long as its records are open. Undefined when it has nothing of it. */
export async function readTaken(records: RecordBook, root: string, number: number): Promise<StoredSession | undefined> {
  if (!records.has(number)) return undefined;
  const hash = promptOf(await readRecord(records, number));
  const lines = hash === undefined ? undefined : records.prompt(number, hash);
  return {
    record: records.lines(number),
    prompt: hash === undefined || lines === undefined ? undefined : { hash, lines },
    directory: ownFolder(root, number),
  };
}

/** Takes the lines of a session that comes from elsewhere. It is in the trash once it is sealed; its files come before that. */
export interface TakenWriter extends Disposable {
  record(line: string): void;
  prompt(hash: string, line: string): void;
  seal(): void;
}

/** Puts a session into the trash of a run, as if that run had just taken it. */
export function putTaken({ home, root }: TrashPlace, number: number): TakenWriter {
  const records = openRecordBook(home, root);
  const writer = records.write();
  const prompts = new Map<string, string[]>();
  writer.begin(number);
  return {
    record: (line) => writer.add([line]),
    prompt(hash, line) {
      prompts.set(hash, [...(prompts.get(hash) ?? []), line]);
    },
    seal() {
      writer.end();
      for (const [hash, lines] of prompts) writer.prompt(number, hash, () => lines);
      writer.seal();
    },
    [Symbol.dispose]() {
      writer[Symbol.dispose]();
      records[Symbol.dispose]();
    },
  };
}
