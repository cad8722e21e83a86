import type { App } from '../app/app.ts';
import type { HomeCheck } from '../app/doctor/check-home.ts';
import { FAILURES } from '../core/failure.ts';
import type { Problem } from '../core/problem.ts';
import type { CommandInput } from './command.ts';
import type { DoctorOptions } from './command-options.ts';
import { formatCount, plural } from './print/format.ts';
import { forSamePlace } from './hint-command.ts';
import type { TextOutput } from './io.ts';
import { writeJson } from './print/json-output.ts';
import { startProgress } from './print/progress.ts';
import { safeText } from './print/safe-text.ts';
import { withApp } from './with-app.ts';

/** Problems shown per check; `--json` has all of them. */
const SHOWN = 10;

/** `coppice doctor`. Exit 12 when something is damaged or missing, 0 when there are only remarks, nothing or all is repaired. */
export function run(input: CommandInput<DoctorOptions>): Promise<number> {
  const { global, options } = input;
  const examine = async (home: App) => {
    const checks = await check(input, home, (found) => printCheck(input, found));
    const found = checks.flatMap(({ problems }) => problems);
    if (options.repair !== true || found.length === 0) return report(input, { home, checks, remaining: found });
    const repairs = await repair(input, home, found);
    const again = await check(input, home, () => undefined);
    const left = new Map(repairs.flatMap((step) => step.left.map((problem) => [problem.subject, problem])));
    const remaining = again.flatMap(({ problems }) => problems).map((problem) => left.get(problem.subject) ?? problem);
    if (!global.json) printRemaining(input, remaining);
    return report(input, { home, checks, repairs, remaining });
  };
  // It looks at what is there, so it does not begin a home.
  return withApp(input, examine, { create: false, ...(options.repair !== true && { reading: 'rules' }) });
}

async function check(
  { io, global }: CommandInput<DoctorOptions>,
  home: App,
  print: (found: HomeCheck) => void,
): Promise<readonly HomeCheck[]> {
  const checks: HomeCheck[] = [];
  using progress = startProgress(io, { label: 'Checking' });
  for await (const found of home.check({ signal: io.signal, onProgress: (done) => progress.update({ done }) })) {
    progress.done();
    checks.push(found);
    if (!global.json) print(found);
  }
  return checks;
}

interface Repaired {
  readonly name: string;
  /** What was about to be done, and what became of it. */
  readonly begun: string;
  readonly done: string;
  readonly left: readonly Problem[];
}

async function repair(
  { io, global }: CommandInput<DoctorOptions>,
  home: App,
  problems: readonly Problem[],
): Promise<readonly Repaired[]> {
  const { out } = io;
  const repairs: Repaired[] = [];
  let begun = '';
  for await (const step of home.repair(problems)) {
    if (!global.json)
      out.write(step.status === 'begun' ? `\n${safeText(step.message)}\n` : `  ${safeText(step.message)}\n`);
    if (step.status === 'begun') begun = step.message;
    else repairs.push({ name: step.name, begun, done: step.message, left: step.left });
  }
  return repairs;
}

interface Report {
  readonly home: App;
  readonly checks: readonly HomeCheck[];
  /** Absent when nothing was to be repaired. */
  readonly repairs?: readonly Repaired[];
  readonly remaining: readonly Problem[];
}

/** Says how things stand now, and returns the exit code. */
function report({ io, global }: CommandInput<DoctorOptions>, { home, checks, repairs, remaining }: Report): number {
  const healthy = remaining.every(isRemark);
  const repaired = repairs !== undefined && repairs.length > 0;
  if (global.json) writeJson(io.out, { home: home.path, healthy, checks, ...(repairs && { repairs, remaining }) });
  else io.out.write(`\n${verdict(remaining, repaired)} ${assurance(checks, repaired)}\n`);
  return healthy ? 0 : FAILURES.integrity.exit;
}

/** What was not done. A command that had been cut short may have been finished on the way. */
function assurance(checks: readonly HomeCheck[], repaired: boolean): string {
  const takenUp = checks.some(({ problems }) => problems.some(({ kind }) => kind === 'run-taken-up'));
  const nothing = takenUp ? 'Nothing else' : 'Nothing';
  return repaired ? `${nothing} that you or an agent wrote was removed.` : `${nothing} was changed.`;
}

function printCheck(input: CommandInput<DoctorOptions>, { name, looked, problems }: HomeCheck): void {
  const { out } = input.io;
  const count = looked === undefined ? '' : ` (${formatCount(looked)})`;
  out.write(`${stateOf(problems, out)}  ${name}${count}\n`);
  printProblems(input, problems);
}

function printRemaining(input: CommandInput<DoctorOptions>, remaining: readonly Problem[]): void {
  if (remaining.length === 0) return;
  input.io.out.write('\nThis is left for you:\n');
  printProblems(input, remaining);
}

function printProblems({ io: { out }, global }: CommandInput<DoctorOptions>, problems: readonly Problem[]): void {
  for (const { message, hint } of problems.slice(0, SHOWN)) {
    out.write(`      ${safeText(message)}\n`);
    if (hint !== undefined) out.write(`      ${out.colour.dim(safeText(forSamePlace(global, hint)))}\n`);
  }
  if (problems.length > SHOWN) out.write(`      … and ${problems.length - SHOWN} more; all of them with --json\n`);
}

function stateOf(problems: readonly Problem[], { colour }: TextOutput): string {
  if (problems.length === 0) return colour.green('ok  ');
  return problems.every(isRemark) ? colour.yellow('note') : colour.red('bad ');
}

/** What is worth knowing without anything being broken. */
const REMARKS = new Set([
  'open-to-others',
  'network-file-system',
  'unknown-file',
  'debris',
  'unacknowledged',
  // What a crash leaves, and the next message or the next run mends.
  'transcript-ahead',
  'transcript-behind',
  'orphan',
  'not-checked',
  'unfinished',
  'unfinished-removal',
  'unfinished-run',
  'run-taken-up',
  'claim-left',
  'left-behind',
  'reserve-missing',
  // What is worth knowing about a home of another agent. Coppice stays away from it, and nothing is broken.
  'ambiguous-file',
  'checkpoint-metadata',
  'config-no-effect',
  'config-surprise',
  'config-unknown-key',
  'lost-messages',
  'odd-row',
  'route-to-nothing',
  'schema-newer',
  'schema-unknown-part',
  'index-unfinished',
  'index-doubtful',
]);

/** Whether a home with this is healthy all the same. */
export function isRemark({ kind }: Problem): boolean {
  return REMARKS.has(kind);
}

function verdict(problems: readonly Problem[], repaired: boolean): string {
  const bad = problems.filter((problem) => !isRemark(problem)).length;
  if (bad > 0) return `${plural(bad, 'problem')} ${repaired ? 'left' : 'found'}.`;
  return problems.length > 0 ? 'Everything that matters is in order.' : 'Everything is in order.';
}
