import type { AppRetention } from '../../app/app.ts';
import { findRun } from '../../app/retention/find-run.ts';
import { Failure, INTERRUPTED } from '../../core/failure.ts';
import type { Run } from '../../core/retention/run.ts';
import type { CommandInput } from '../command.ts';
import type { TrashEmptyOptions } from '../command-options.ts';
import { formatBytes, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { printFailure } from '../print-failure.ts';
import { confirm } from '../retention/confirm.ts';
import { itemsOf } from '../retention/items-of.ts';
import { notAll } from '../retention/not-all.ts';
import { withAppToClear } from '../with-app.ts';

/** `coppice trash empty`: removes for good what one run, all expired runs or all runs put into the trash. */
export function run(input: CommandInput<TrashEmptyOptions>): Promise<number> {
  const { io, global, options } = input;
  refuseUnclear(input);
  return withAppToClear(input, async (home) => {
    const retention = await home.retention();
    const full = await fullRuns(retention, await chosenRuns(retention, input));
    const items = full.reduce((sum, one) => sum + one.items, 0);
    const sizeBytes = full.reduce((sum, one) => sum + one.sizeBytes, 0);
    if (items > 0) {
      await confirm(io, {
        question: `Remove ${plural(items, 'item')} (${formatBytes(sizeBytes)}) in the trash for good? This cannot be undone.`,
        yes: options.yes,
        json: global.json,
        look: `run: ${hintCommand(global, 'trash', 'list')}`,
        typed: items,
      });
    }
    return report(input, full, await emptyRuns(retention, full, input));
  });
}

interface FullRun {
  readonly id: string;
  readonly items: number;
  readonly sizeBytes: number;
}

interface Emptied {
  readonly runs: readonly FullRun[];
  readonly skipped: number;
  /** The first in whose trash something stays. */
  readonly leftIn: string;
  readonly sizeBytes: number;
  readonly freedBytes: number;
}

/** Empties run after run. Whoever asks it to stop waits for the one that it is at. */
async function emptyRuns(
  retention: AppRetention,
  full: readonly FullRun[],
  { io, options }: CommandInput<TrashEmptyOptions>,
): Promise<Emptied> {
  const runs: FullRun[] = [];
  let [skipped, leftIn, sizeBytes, freedBytes] = [0, '', 0, 0];
  for (const each of full) {
    if (io.signal.aborted) break;
    const emptied = await retention.emptyTrash(each.id, options.expired === true ? { expired: true } : {});
    if (skipped === 0 && emptied.skipped > 0) leftIn = each.id;
    skipped += emptied.skipped;
    sizeBytes += emptied.sizeBytes;
    freedBytes += emptied.freedBytes;
    runs.push(each);
  }
  return { runs, skipped, leftIn, sizeBytes, freedBytes };
}

function report(
  { io, global }: CommandInput<TrashEmptyOptions>,
  full: readonly FullRun[],
  { runs, skipped, leftIn, sizeBytes, freedBytes }: Emptied,
): number {
  const itemCount = runs.reduce((sum, { items }) => sum + items, 0) - skipped;
  if (global.json) writeJson(io.out, { runs: runs.map(({ id }) => id), itemCount, skipped, sizeBytes, freedBytes });
  else if (full.length === 0) io.out.write('There is nothing to empty.\n');
  else
    io.out.write(
      `Removed ${plural(itemCount, 'item')} for good (${formatBytes(sizeBytes)}). The disk has ${formatBytes(freedBytes)} more.\n`,
    );
  if (runs.length < full.length) {
    io.err.write('Stopped. What is left is still in the trash. Run the command again to go on.\n');
    return INTERRUPTED;
  }
  return skipped === 0 ? 0 : printFailure(io, notAll(skipped, leftIn), global);
}

function refuseUnclear({ args, options }: CommandInput<TrashEmptyOptions>): void {
  const choices = [args[0] !== undefined, options.expired === true, options.all === true].filter(Boolean).length;
  if (choices === 1) return;
  throw new Failure('usage', choices === 0 ? 'It is not said what to empty.' : 'Only one can be chosen.', {
    hint: 'Give the id of a run, or --expired for what can no longer be undone, or --all.',
  });
}

async function chosenRuns(
  retention: AppRetention,
  { args, options, io }: CommandInput<TrashEmptyOptions>,
): Promise<Run[]> {
  if (args[0] !== undefined) return [await findRun(retention, args[0])];
  const runs: Run[] = [];
  for await (const one of retention.runs()) if (options.all === true || one.expiresAt <= io.clock.now()) runs.push(one);
  return runs;
}

async function fullRuns(retention: AppRetention, runs: readonly Run[]): Promise<readonly FullRun[]> {
  const full: FullRun[] = [];
  for (const { id } of runs) {
    const items = await itemsOf(retention, id, 'trashed', 'purging');
    const sizeBytes = items.reduce((sum, item) => sum + item.sizeBytes, 0);
    if (items.length > 0) full.push({ id, items: items.length, sizeBytes });
  }
  return full;
}
