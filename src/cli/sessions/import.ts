import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import type { ImportOutcome, LeftAlone, SessionOutcome } from '../../app/transfer/import-outcome.ts';
import { FAILURES, Failure } from '../../core/failure.ts';
import { AGENTS, KINDS } from '../../homes/kinds.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { ImportOptions } from '../command-options.ts';
import { formatCount, plural } from '../print/format.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { printFailure } from '../print-failure.ts';
import { type Progress, startProgress } from '../print/progress.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';

/** `coppice sessions import FILE…` or `--from HOME`. Exit 3 when something was not brought in whole. */
export function run(input: CommandInput<ImportOptions>): Promise<number> {
  const { from, source } = input.options;
  const { signal } = input.io;
  refuseMixture(input);
  if (from !== undefined) {
    const path = resolve(input.io.cwd, from);
    return bringIn(input, (home) =>
      home.sessions.importFrom(path, { signal, ...(source !== undefined && { source }) }),
    );
  }
  const paths = input.args.map((path) => resolve(input.io.cwd, path));
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) {
    throw new Failure('usage', `There is no file or folder ${missing}.`, {
      hint: 'Nothing was imported. Check the name, then run the command again.',
    });
  }
  return bringIn(input, (home) => home.sessions.import({ paths, signal }));
}

function refuseMixture({ args, options: { from, source } }: CommandInput<ImportOptions>): void {
  if (from === undefined && args.length === 0) {
    throw new Failure('usage', 'Nothing to import was named.', {
      hint: `Name files or folders, or a ${AGENTS} home with --from ${KINDS[0]?.place ?? 'DIR'}`,
    });
  }
  if (from !== undefined && args.length > 0) {
    throw new Failure('usage', 'Files and --from were both given.', { hint: 'Import one after the other.' });
  }
  if (from === undefined && source !== undefined) {
    throw new Failure('usage', '--source chooses among the sessions of a home.', { hint: 'Use it with --from.' });
  }
}

function bringIn(
  input: CommandInput<ImportOptions>,
  importing: (home: App) => AsyncIterable<ImportOutcome>,
): Promise<number> {
  return withApp(
    input,
    async (home) => {
      using progress = startProgress(input.io, { label: 'Importing' });
      const tally = new Tally(input);
      for await (const outcome of importing(home)) {
        if (outcome.status === 'reading') showReading(progress, outcome);
        else tally.add(outcome, progress);
      }
      progress.done();
      return tally.finish();
    },
    { create: true },
  );
}

function showReading(progress: Progress, { bytesRead, totalBytes }: { bytesRead: number; totalBytes: number }): void {
  progress.update({ done: bytesRead, total: totalBytes, bytes: bytesRead });
}

/** Counts outcomes by kind, and speaks of the ones a person should know about. */
class Tally {
  readonly #io: Io;
  readonly #global: GlobalOptions;
  readonly #outcomes: SessionOutcome[] = [];
  #leftAlone = 0;
  #shown = 0;
  #more = 0;

  constructor({ io, global }: CommandInput<ImportOptions>) {
    this.#io = io;
    this.#global = global;
  }

  add(outcome: SessionOutcome | LeftAlone, progress: Progress): void {
    if (outcome.status === 'left-alone') {
      this.#leftAlone += outcome.files;
      return;
    }
    this.#outcomes.push(this.#global.json ? outcome : { ...outcome, problems: [] });
    if (this.#global.json || outcome.problems.length === 0) return;
    progress.done();
    this.#complain(outcome);
  }

  finish(): number {
    const whole = this.#outcomes.every(({ status, problemCount }) => WHOLE.has(status) && problemCount === 0);
    if (this.#global.json) writeJson(this.#io.out, { outcomes: this.#outcomes, leftAlone: this.#leftAlone });
    else {
      if (this.#more > 0) this.#io.err.write(`… and ${plural(this.#more, 'problem')} more. Add --json to see them.\n`);
      this.#io.out.write(`${this.#summary()}\n`);
    }
    return whole ? 0 : FAILURES.partial.exit;
  }

  #complain({ problems, problemCount }: SessionOutcome): void {
    const shown = problems.slice(0, Math.min(SHOWN_OF_FILE, SHOWN_PROBLEMS - this.#shown));
    for (const { message, hint } of shown)
      printFailure(this.#io, new Failure('partial', message, hint === undefined ? {} : { hint }), this.#global);
    this.#shown += shown.length;
    this.#more += problemCount - shown.length;
  }

  /** What newer versions of an agent write and nobody here knows: one sentence for all of it. */
  #unknownLines(): string {
    const found = this.#outcomes.flatMap(({ unknown }) => unknown ?? []);
    const lines = found.reduce((sum, unknown) => sum + unknown.lines, 0);
    if (lines === 0) return '';
    const kinds = [...new Set(found.flatMap((unknown) => unknown.kinds))];
    const named = kinds.slice(0, SHOWN_KINDS).map(safeText).join(', ');
    const of = `${named}${kinds.length > SHOWN_KINDS ? ', …' : ''}`;
    return `${plural(lines, 'line')} of kinds that this version does not know ${lines === 1 ? 'was' : 'were'} left out (${of}).`;
  }

  #summary(): string {
    const count = (status: SessionOutcome['status']) => this.#outcomes.filter((outcome) => outcome.status === status);
    const imported = count('imported');
    const messages = imported.reduce((sum, outcome) => sum + outcome.messages, 0);
    const parts = [
      imported.length === 0
        ? 'Imported nothing.'
        : `Imported ${plural(imported.length, 'session')} with ${plural(messages, 'message')}.`,
      say(count('already-there').length, 'sessions were there already.', 'session was there already.'),
      say(
        count('conflict').length,
        'sessions have the id of another and were left out.',
        'session has the id of another and was left out.',
      ),
      say(count('failed').length, 'could not be imported.', 'could not be imported.'),
      say(count('skipped').length, 'files hold no messages.', 'file holds no messages.'),
      say(
        count('empty').length,
        'sessions are empty: nobody said anything.',
        'session is empty: nobody said anything.',
      ),
      this.#unknownLines(),
      say(this.#leftAlone, 'other files were not looked at.', 'other file was not looked at.'),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }
}

/** Of each file, and of all: one that holds something else has a problem on every line, and a folder may be full of them. */
const SHOWN_OF_FILE = 5;
const SHOWN_PROBLEMS = 20;
const SHOWN_KINDS = 5;

const WHOLE = new Set<SessionOutcome['status']>(['imported', 'already-there', 'empty']);

function say(count: number, many: string, one: string): string {
  if (count === 0) return '';
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
