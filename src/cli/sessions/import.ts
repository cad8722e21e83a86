import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import type { ImportOutcome, LeftAlone, SessionOutcome } from '../../app/transfer/import-outcome.ts';
import { FAILURES, Failure } from '../../core/failure.ts';
import { AGENTS, KINDS } from '../../homes/kinds.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { ImportOptions } from '../command-options.ts';
import { formatCount, plural } from '../format.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../json-output.ts';
import { printFailure } from '../print-failure.ts';
import { type Progress, startProgress } from '../progress.ts';
import { safeText } from '../safe-text.ts';
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
    else this.#io.out.write(`${this.#summary()}\n`);
    return whole ? 0 : FAILURES.partial.exit;
  }

  #complain({ path, problems, problemCount }: SessionOutcome): void {
    for (const { message, hint } of problems.slice(0, SHOWN_PROBLEMS))
      printFailure(this.#io, new Failure('partial', message, hint === undefined ? {} : { hint }), this.#global);
    const more = problemCount - SHOWN_PROBLEMS;
    if (more > 0) this.#io.err.write(`… and ${formatCount(more)} more in ${safeText(path)}\n`);
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
      say(this.#leftAlone, 'other files were not looked at.', 'other file was not looked at.'),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }
}

/** Of each file: one that holds something else has a problem on every line. */
const SHOWN_PROBLEMS = 5;

const WHOLE = new Set<SessionOutcome['status']>(['imported', 'already-there']);

function say(count: number, many: string, one: string): string {
  if (count === 0) return '';
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
