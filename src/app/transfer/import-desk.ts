import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { ImportedSession } from '../../core/sessions/import-store.ts';
import type { SessionOutcome } from './import-outcome.ts';
import { type ImportInto, type ImportTarget, openTarget } from './import-target.ts';
import type { ImportPiece } from './line-reader.ts';

/** What became of a session, before it is known how far the file was read. */
export type DeskOutcome = Omit<SessionOutcome, 'bytesRead'>;

/** More problems than these are only counted: a file can be nothing but problems. */
const MAX_PROBLEMS = 100;

interface Current {
  readonly id: string;
  readonly target: ImportTarget;
  readonly conflictHint: string;
}

/** Takes the pieces of one file in order and says what became of each session as soon as that is known. */
export class ImportDesk implements AsyncDisposable {
  readonly #store: ImportInto;
  readonly #path: string;
  #current: Current | undefined;
  #messages = 0;
  #problems: Problem[] = [];
  #problemCount = 0;
  #silent = true;

  constructor(store: ImportInto, path: string) {
    this.#store = store;
    this.#path = path;
  }

  /** Takes what one line said; `sizeBytes` is its length. */
  async take(pieces: readonly ImportPiece[], sizeBytes: number): Promise<readonly DeskOutcome[]> {
    const outcomes: DeskOutcome[] = [];
    for (const piece of pieces) {
      const outcome = await this.#takeOne(piece, sizeBytes);
      if (outcome) outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Gives up the session that has begun, if there is one. */
  async fail(problem: Problem, id = this.#current?.id): Promise<DeskOutcome> {
    this.#note(problem);
    await this[Symbol.asyncDispose]();
    return this.#conclude('failed', id);
  }

  /** Says that the file held nothing to import, unless something was said about it already. */
  close(): readonly DeskOutcome[] {
    if (!this.#silent) return [];
    this.#note(nothingThere(this.#path));
    return [this.#conclude('skipped', undefined)];
  }

  /** Leaves nothing unfinished in the store. */
  async [Symbol.asyncDispose](): Promise<void> {
    const target = this.#current?.target;
    this.#current = undefined;
    await target?.abandon();
  }

  async #takeOne(piece: ImportPiece, sizeBytes: number): Promise<DeskOutcome | undefined> {
    try {
      return await this.#handle(piece, sizeBytes);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const id = piece.kind === 'session' ? piece.session.id : this.#current?.id;
      return this.fail(refused(this.#path, error), id);
    }
  }

  /** After a session failed, the rest of its pieces find no current one and are passed over. */
  async #handle(piece: ImportPiece, sizeBytes: number): Promise<DeskOutcome | undefined> {
    if (piece.kind === 'problem') this.#note(piece.problem);
    if (piece.kind === 'damaged') return this.fail(piece.problem, piece.id);
    if (piece.kind === 'session') {
      const { session, conflictHint } = piece;
      this.#current = { id: session.id, target: await openTarget(this.#store, session), conflictHint };
    }
    if (piece.kind === 'message' && this.#current) {
      await this.#current.target.add(piece.message, sizeBytes);
      this.#messages += 1;
    }
    return piece.kind === 'finished' && this.#current ? this.#finish(this.#current, piece.session) : undefined;
  }

  async #finish({ id, target, conflictHint }: Current, session: ImportedSession): Promise<DeskOutcome> {
    const status = await target.finish(session);
    if (status === 'conflict') this.#note(conflict(id, conflictHint));
    this.#current = undefined;
    return this.#conclude(status, id);
  }

  #note(problem: Problem): void {
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }

  #conclude(status: DeskOutcome['status'], id: string | undefined): DeskOutcome {
    const counts = { messages: this.#messages, problems: this.#problems, problemCount: this.#problemCount };
    this.#messages = 0;
    this.#problems = [];
    this.#problemCount = 0;
    this.#silent = false;
    return { status, path: this.#path, ...(id !== undefined && { id }), ...counts };
  }
}

function conflict(id: string, hint: string): Problem {
  return {
    kind: 'conflict',
    subject: id,
    message: `There is already a session ${id} with other messages; it was left as it is.`,
    hint,
  };
}

function nothingThere(path: string): Problem {
  return {
    kind: 'nothing-to-import',
    subject: path,
    message: `${path} holds no message that Coppice understands.`,
    hint: 'Each line must be a JSON object with a role and content.',
  };
}

function refused(path: string, { message, hint }: Failure): Problem {
  return { kind: 'refused', subject: path, message, ...(hint !== undefined && { hint }) };
}
