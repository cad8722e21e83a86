import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { ImportGroup } from './import-group.ts';
import type { SessionOutcome, UnknownLines } from './import-outcome.ts';
import { changedSince, grownSince, nothingThere, refusedByStore } from './import-problems.ts';
import type { ImportTarget, Written, WrittenLater } from './import-target.ts';
import type { ImportPiece } from './line-reader.ts';

/** What became of a session, before it is known how far the file was read. */
export type DeskOutcome = Omit<SessionOutcome, 'bytesRead'>;
/** Or what will have become of it when it is written together with others. */
export type ComingOutcome = DeskOutcome | Promise<DeskOutcome>;

/** More problems than these are only counted: a file can be nothing but problems. */
const MAX_PROBLEMS = 100;
const MAX_KINDS = 5;

interface Current {
  readonly id: string;
  readonly target: ImportTarget<Written | WrittenLater>;
  readonly conflictHint: string;
}

/** Takes the pieces of one file in order and says what became of each session as soon as that is known. */
export class ImportDesk implements AsyncDisposable {
  readonly #group: ImportGroup;
  readonly #path: string;
  #current: Current | undefined;
  #messages = 0;
  #problems: Problem[] = [];
  #problemCount = 0;
  #unknown: UnknownLines = { lines: 0, kinds: [] };
  #silent = true;

  constructor(group: ImportGroup, path: string) {
    this.#group = group;
    this.#path = path;
  }

  /** Takes what was read; `sizeBytes` is how long it was there. */
  async take(pieces: readonly ImportPiece[], sizeBytes: number): Promise<readonly ComingOutcome[]> {
    const outcomes: { readonly coming: ComingOutcome }[] = [];
    const size = Math.ceil(sizeBytes / Math.max(1, pieces.length));
    for (const piece of pieces) {
      const outcome = await this.#takeOne(piece, size);
      if (outcome) outcomes.push(outcome);
    }
    return outcomes.map(({ coming }) => coming);
  }

  /** Gives up the session that has begun, if there is one. */
  async fail(problem: Problem, id = this.#current?.id): Promise<DeskOutcome> {
    this.#note(problem);
    await this[Symbol.asyncDispose]();
    return this.#conclude('failed', id);
  }

  /** Says that the file held nothing to import, unless something was said about it already. */
  close({ isTranscript }: { readonly isTranscript: boolean }): readonly DeskOutcome[] {
    if (!this.#silent) return [];
    if (isTranscript) return [this.#conclude('empty', undefined)];
    this.#note(nothingThere(this.#path));
    return [this.#conclude('skipped', undefined)];
  }

  /** Leaves nothing unfinished in the store. */
  async [Symbol.asyncDispose](): Promise<void> {
    const target = this.#current?.target;
    this.#current = undefined;
    await target?.abandon();
  }

  async #takeOne(piece: ImportPiece, sizeBytes: number): Promise<{ readonly coming: ComingOutcome } | undefined> {
    try {
      return await this.#handle(piece, sizeBytes);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const id = piece.kind === 'session' ? piece.session.id : this.#current?.id;
      return { coming: await this.fail(refusedByStore(this.#path, error), id) };
    }
  }

  /** After a session failed, the rest of its pieces find no current one and are passed over. */
  async #handle(piece: ImportPiece, sizeBytes: number): Promise<{ readonly coming: ComingOutcome } | undefined> {
    if (piece.kind === 'problem') this.#note(piece.problem);
    if (piece.kind === 'unknown') this.#noteUnknown(piece.what);
    if (piece.kind === 'damaged') return { coming: await this.fail(piece.problem, piece.id) };
    if (piece.kind === 'session') {
      const { conflictHint } = piece;
      const session = piece.isForeign === true ? await this.#apart(piece.session) : piece.session;
      this.#current = { id: session.id, target: await this.#group.open(session), conflictHint };
    }
    if (piece.kind === 'message' && this.#current) {
      await this.#current.target.add(piece.message, sizeBytes);
      this.#messages += 1;
    }
    return piece.kind === 'finished' && this.#current ? this.#finish(this.#current, piece.session) : undefined;
  }

  /** Two agents may give the same id to sessions of theirs; the second one is told apart by its agent. */
  async #apart(session: ImportedSession): Promise<ImportedSession> {
    const source = await this.#group.sourceOf(session.id);
    return source === undefined || source === session.source
      ? session
      : { ...session, id: `${session.id}.${session.source}` };
  }

  async #finish(current: Current, session: ImportedSession): Promise<{ readonly coming: ComingOutcome }> {
    const { id, target, conflictHint } = current;
    const written = await target.finish({ ...session, id });
    this.#current = undefined;
    if (typeof written === 'object') {
      const outcome = this.#conclude('imported', id);
      return {
        coming: written.later.then((result) => (result instanceof Failure ? this.#refused(outcome, result) : outcome)),
      };
    }
    if (written === 'conflict') this.#note(changedSince(id, conflictHint));
    if (written === 'grown') this.#note(grownSince(id));
    return { coming: this.#conclude(written === 'grown' ? 'conflict' : written, id) };
  }

  #refused(outcome: DeskOutcome, failure: Failure): DeskOutcome {
    const problems = [...outcome.problems, refusedByStore(this.#path, failure)];
    return { ...outcome, status: 'failed', problems, problemCount: outcome.problemCount + 1 };
  }

  #note(problem: Problem): void {
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }

  #noteUnknown(what: string): void {
    const { lines, kinds } = this.#unknown;
    const isNew = kinds.length < MAX_KINDS && !kinds.includes(what);
    this.#unknown = { lines: lines + 1, kinds: isNew ? [...kinds, what] : kinds };
  }

  #conclude(status: DeskOutcome['status'], id: string | undefined): DeskOutcome {
    const counts = { messages: this.#messages, problems: this.#problems, problemCount: this.#problemCount };
    const unknown = this.#unknown.lines > 0 && { unknown: this.#unknown };
    this.#messages = 0;
    this.#problems = [];
    this.#problemCount = 0;
    this.#unknown = { lines: 0, kinds: [] };
    this.#silent = false;
    return { status, path: this.#path, ...(id !== undefined && { id }), ...counts, ...unknown };
  }
}
