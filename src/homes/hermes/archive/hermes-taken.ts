import type { TakenSessions } from '../../../keeping/archive/archive-taken.ts';
import type { OwnLayout } from '../../../keeping/own-layout.ts';
import { openRecordBook } from '../taking/record-book.ts';
import { openTakenFiles } from '../taking/taken-files.ts';
import { readTaken, type StoredSession } from '../taking/taken-session.ts';
import { hermesMemberLines, unpackHermesMember } from './hermes-member.ts';

/** What the trash of a run has of sessions of a Hermes home: their records and their files. */
export function hermesTaken(layout: OwnLayout): TakenSessions {
  return {
    async open(runId, numbers) {
      const stored = new Map<number, StoredSession>();
      const records = openRecordBook(layout.root, layout.trash(runId));
      const files = openTakenFiles(layout.root, layout.trash(runId));
      for (const number of numbers) {
        const session = await readTaken(records, layout.trash(runId), number);
        if (session === undefined) continue;
        files.gather(number);
        stored.set(number, session);
      }
      return {
        lines: (number) => hermesMemberLines(layout, stored.get(number)),
        [Symbol.dispose]() {
          files[Symbol.dispose]();
          records[Symbol.dispose]();
        },
      };
    },
    async has(runId, number) {
      using records = openRecordBook(layout.root, layout.trash(runId));
      return (await readTaken(records, layout.trash(runId), number)) !== undefined;
    },
    async unpack(runId, number, file) {
      // What a crash left of it; the archive has it whole.
      using files = openTakenFiles(layout.root, layout.trash(runId));
      await files.purge(number);
      await unpackHermesMember({ layout, runId, number }, file);
    },
  };
}
