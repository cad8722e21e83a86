import type { HomeCheck } from '../app/check-home.ts';
import type { Home } from '../app/home.ts';
import { Failure } from '../core/failure.ts';
import type { Problem } from '../core/problem.ts';
import type { CommandInput } from './command.ts';
import type { NoOptions } from './command-options.ts';
import { formatCount, plural } from './format.ts';
import type { Io, TextOutput } from './io.ts';
import { writeJson } from './json-output.ts';
import { startProgress } from './progress.ts';
import { safeText } from './safe-text.ts';
import { withHome } from './with-home.ts';

/** Problems shown per check; `--json` has all of them. */
const SHOWN = 10;

/** `coppice doctor`. Exit 12 when something is damaged or missing, 0 when there are only remarks or nothing. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  const check = async (home: Home) => {
    const checks: HomeCheck[] = [];
    using progress = startProgress(io, { label: 'Checking' });
    for await (const found of home.check({ signal: io.signal, onProgress: (done) => progress.update({ done }) })) {
      progress.done();
      checks.push(found);
      if (!global.json) printCheck(io, found);
    }
    const problems = checks.flatMap((done) => done.problems);
    if (global.json) writeJson(io.out, { home: home.path, healthy: problems.every(isRemark), checks });
    else io.out.write(`\n${verdict(problems)}\n`);
    return problems.every(isRemark) ? 0 : new Failure('integrity', '').exitCode;
  };
  // It looks and changes nothing, so it does not begin a home either.
  return withHome(input, check, { create: false });
}

function printCheck({ out }: Io, { name, looked, problems }: HomeCheck): void {
  const count = looked === undefined ? '' : ` (${formatCount(looked)})`;
  out.write(`${stateOf(problems, out)}  ${name}${count}\n`);
  for (const { message, hint } of problems.slice(0, SHOWN)) {
    out.write(`      ${safeText(message)}\n`);
    if (hint !== undefined) out.write(`      ${out.colour.dim(safeText(hint))}\n`);
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
  'orphan',
  'not-checked',
  'unfinished',
]);

function isRemark({ kind }: Problem): boolean {
  return REMARKS.has(kind);
}

function verdict(problems: readonly Problem[]): string {
  const bad = problems.filter((problem) => !isRemark(problem)).length;
  if (bad > 0) return `${plural(bad, 'problem')} found. Nothing was changed.`;
  if (problems.length > 0) return 'Everything that matters is in order. Nothing was changed.';
  return 'Everything is in order. Nothing was changed.';
}
