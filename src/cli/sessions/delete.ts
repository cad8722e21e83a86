import type { App, AppRetention } from '../../app/app.ts';
import { planTotals } from '../../app/documents/plan-document.ts';
import type { CarriedRun } from '../../app/documents/run-document.ts';
import { Failure } from '../../core/failure.ts';
import type { Plan } from '../../core/retention/plan.ts';
import type { Outcome, Run } from '../../core/retention/run.ts';
import type { CommandInput } from '../command.ts';
import type { DeleteOptions } from '../command-options.ts';
import { formatBytes, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { printFailure } from '../print-failure.ts';
import { carryOut, NOTHING_DONE, reportRun } from '../retention/carry-out.ts';
import { confirm } from '../retention/confirm.ts';
import { removalQuestion } from '../retention/confirm-plan.ts';
import { notAll } from '../retention/not-all.ts';
import { refuseOnlyShown } from '../retention/refuse-only-shown.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import { withScanProgress } from '../retention/with-scan-progress.ts';
import { withAppToClear } from '../with-app.ts';
import { howChosen, matchingIds } from './chosen-ids.ts';
import { heldSentence } from './held-sentence.ts';
import { namedSessions, showNamed } from './named-sessions.ts';
import { removedBefore } from './removed-before.ts';

/** `coppice sessions delete`: the sessions that are named, or those that match, which are shown first and can be undone. */
export function run(input: CommandInput<DeleteOptions>): Promise<number> {
  const { args, options } = input;
  const chosen = howChosen(input);
  if (chosen === 'filters' && options.purge === true) {
    throw new Failure(
      'usage',
      '--purge is only for sessions that are named: what is chosen by options can be undone.',
      {
        hint: 'Leave --purge out. To be rid of it at once, add: coppice trash empty RUN',
      },
    );
  }
  if (chosen === 'ids' && options.dryRun !== true) return removeIds(input);
  return runByHand(input, async (home) => {
    const ids = chosen === 'ids' ? (await namedSessions(input, home, args)).ids : await matchingIds(home, input);
    return { kind: 'delete', ids };
  });
}

/** What is held stays, with a sentence that says what to do first. */
function removeIds(input: CommandInput<DeleteOptions>): Promise<number> {
  const { io, options, global } = input;
  const named = [...new Set(input.args)];
  return withAppToClear(input, async (home) => {
    const retention = await home.retention();
    const before = await removedBefore(retention, { ids: named, forGood: options.purge === true });
    const notYet = named.filter((id) => !before.outcomes.some(({ item }) => item.id === id));
    const { ids, byOtherNames } = await namedSessions(input, home, notYet);
    const plan = await withScanProgress(io, (scan) => retention.plan({ kind: 'delete', ids }, scan));
    refuseOnlyShown(plan);
    await showNamed(input, home, byOtherNames);
    const held = await heldOutcomes({ ...input, args: ids }, home, plan);
    const carried = planTotals(plan).go.items === 0 ? NOTHING_DONE : await removeNamed(input, { home, plan, held });
    const runs = [...(carried.run === undefined ? [] : [carried.run]), ...before.runs];
    const purges = options.purge === true && !carried.interrupted;
    const { left, leftIn, freedBytes } = purges ? await emptyAll(retention, runs) : NOTHING_EMPTIED;
    const [newest] = runs;
    const all = {
      ...carried,
      ...(newest !== undefined && { run: newest }),
      outcomes: [...before.outcomes, ...carried.outcomes, ...held],
      freedBytes: carried.freedBytes + freedBytes,
    };
    const goOn = `To go on, name the ones that are left: ${hintCommand(global, 'sessions', 'list')}`;
    const exitCode = reportRun(input, all, { plan, goOn, purged: purges && runs.length > 0 && left === 0 });
    return left === 0 ? exitCode : printFailure(io, notAll(left, leftIn), global);
  });
}

/** `leftIn` is the run in whose trash something stays. */
const NOTHING_EMPTIED = { left: 0, leftIn: '', freedBytes: 0 };

/** Removes what these runs took for good, and what it was called. */
async function emptyAll(retention: AppRetention, runs: readonly Run[]): Promise<typeof NOTHING_EMPTIED> {
  const sum = { ...NOTHING_EMPTIED };
  for (const { id } of runs) {
    const { skipped, freedBytes } = await retention.emptyTrash(id, { forget: true });
    sum.left += skipped;
    if (skipped > 0) sum.leftIn = id;
    sum.freedBytes += freedBytes;
  }
  return sum;
}

/** What has the id of a session. */
const NAMED_KINDS: ReadonlySet<string> = new Set(['session', 'archive']);

async function heldOutcomes(input: CommandInput<DeleteOptions>, home: App, plan: Plan): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const decision of plan.decisions) {
    const { item, action, sizeBytes } = decision;
    if (action !== 'keep' || !NAMED_KINDS.has(item.kind) || !input.args.includes(item.id)) continue;
    const detail = await heldSentence(home, decision, input);
    outcomes.push({ item, action: 'remove', status: 'skipped', detail, sizeBytes });
  }
  return outcomes;
}

interface Removing {
  readonly home: App;
  readonly plan: Plan;
  readonly held: readonly Outcome[];
}

async function removeNamed(
  { io, global, options }: CommandInput<DeleteOptions>,
  { home, plan, held }: Removing,
): Promise<CarriedRun> {
  const { items, sizeBytes } = planTotals(plan).go;
  const stays = held.length === 0 ? '' : `${plural(held.length, 'session')} you named will stay.\n`;
  const forGood = `Remove ${plural(items, 'session')} (${formatBytes(sizeBytes)}) for good? This cannot be undone.`;
  await confirm(io, {
    question: `${stays}${options.purge === true ? forGood : removalQuestion(plan, home.config.trash.grace_days)}`,
    yes: options.yes,
    json: global.json,
    look: `run: ${hintCommand(global, 'sessions', 'show', 'ID')}`,
    ...(options.purge === true && { typed: items }),
  });
  return await carryOut(io, home, { plan });
}
