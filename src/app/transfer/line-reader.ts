import type { Problem } from '../../core/problem.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import type { Line } from '../../platform/text/read-lines.ts';

/** Makes sense of the lines of one file, in order. Blank lines are left out. */
export interface LineReader {
  read(line: Line): readonly ImportPiece[];
  /** After the last line. */
  end(): readonly ImportPiece[];
}

/**
 * What a file says, whatever its format: a session begins, its messages, how it ends. `finished` carries the facts that are
 * only known at the end; `damaged` means that nothing of the session may become visible.
 */
export type ImportPiece =
  | {
      readonly kind: 'session';
      readonly session: ImportedSession;
      readonly conflictHint: string;
      /** Its id was given by another program, and is only unique among the sessions of that. */
      readonly isForeign?: true;
    }
  | { readonly kind: 'message'; readonly message: ReadMessage }
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** A line of a kind that this version does not know. */
  | { readonly kind: 'unknown'; readonly what: string }
  | { readonly kind: 'finished'; readonly session: ImportedSession }
  | { readonly kind: 'damaged'; readonly id?: string; readonly problem: Problem };

/** A message as a file has it. `at` is absent where the file does not say when. */
export interface ReadMessage extends NewMessage {
  readonly seq: number;
}
