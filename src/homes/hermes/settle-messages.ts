import { cutEntries } from './cut-entries.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { insertLines } from './insert-lines.ts';
import { chunkOf, messageId, readChunk, type TableLines } from './record-tables.ts';
import { bindRowLine, quoted } from './row-lines.ts';
import type { SessionRecord } from './session-record.ts';

/**
 * Makes the messages of one chunk exactly what their lines say: those that are missing are inserted, and what a trigger of Hermes
 * made of any of them is set back. Under the write lock.
 */
export function settleMessages(
  hermes: HermesDatabase,
  record: Pick<SessionRecord, 'id' | 'cut'>,
  { columns, lines }: TableLines,
): void {
  const chunk = { id: record.id, columns, ...chunkOf(columns, lines) };
  const read = () => new Map(readChunk(hermes, chunk).map((line) => [messageId(columns, line), line]));
  const before = read();
  const missing = lines.filter((line) => !before.has(messageId(columns, line)));
  insertLines(hermes, { table: 'messages', columns, lines: missing });
  const inserted = new Set(missing.map((line) => messageId(columns, line)));
  cutEntries(
    hermes,
    record.cut.filter((id) => inserted.has(id)),
  );
  const after = missing.length === 0 ? before : read();
  for (const line of lines) {
    const now = after.get(messageId(columns, line));
    if (now !== undefined && now !== line) setBack(hermes, columns, { now, line });
  }
}

function cells(line: string): string[] {
  return (JSON.parse(line) as readonly unknown[]).map((cell) => JSON.stringify(cell));
}

/** Only the columns that differ: the search index listens to some of the others. */
function setBack(
  { db }: HermesDatabase,
  columns: readonly string[],
  { now, line }: { readonly now: string; readonly line: string },
): void {
  const present = cells(now);
  const wanted = cells(line);
  const { places, values } = bindRowLine(line);
  const changed = columns.map((_, at) => at).filter((at) => present[at] !== wanted[at]);
  const assignments = changed.map((at) => `${quoted(columns[at] ?? '')} = ${places[at] ?? '?'}`);
  const given = changed.map((at) => values[at]);
  db.prepare(`UPDATE messages SET ${assignments.join(', ')} WHERE id = ?`).run(...given, messageId(columns, line));
}
