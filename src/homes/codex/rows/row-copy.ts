import { gunzipSync, gzipSync } from 'node:zlib';

/** Rows of one table as they were, each a line of which the same row can be made again. */
export interface TableCopy {
  readonly database: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** What a thread had in the databases of Codex. */
export interface RowCopy {
  readonly tables: readonly TableCopy[];
  /** Rows that were left out because they are many and Codex makes them anew: those of these ids. */
  readonly leftOut: readonly { readonly database: string; readonly table: string; readonly ids: readonly string[] }[];
}

/** Packed, because most of it is the conversation once more. */
export function packRows(copy: RowCopy): string {
  return JSON.stringify({ version: 1, gzip: gzipSync(JSON.stringify(copy)).toString('base64') });
}

export function unpackRows(text: string): RowCopy {
  // A copy is read by the version that wrote it or a later one; it lay in a trash that nobody else writes.
  const { gzip } = JSON.parse(text) as { readonly gzip: string };
  return JSON.parse(gunzipSync(Buffer.from(gzip, 'base64')).toString()) as RowCopy;
}
