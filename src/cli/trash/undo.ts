import type { App } from '../../app/app.ts';
import type { CarriedRun } from '../../app/documents/run-document.ts';
import { findRun } from '../../app/retention/find-run.ts';
import { givenBackBy } from '../../app/retention/given-back-by.ts';
import type { Retention } from '../../app/retention/retention.ts';
import { Failure } from '../../core/failure.ts';
import type { Outcome, Run, RunItem } from '../../core/retention/run.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { UndoOptions } from '../command-options.ts';
import { formatAge, formatBytes, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { confirm } from '../retention/confirm.ts';
import { itemsOf } from '../retention/items-of.ts';
import { requestWords } from '../retention/words.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';
import { giveBack, reportGivenBack } from './give-back.ts';

/** `coppice undo [RUN]`: without one, the newest run that still has something to give back. */
export function run(input: CommandInput<UndoOptions>): Promise<number> {
  const { args, io, global, options } = input;
  return withApp(input, async (home) => {
    const { run: chosen, items, before = [] } = await chooseRun(home, args[0]);
    if (items.length === 0 && before.length === 0) throw nothingLeft(chosen);
    if (items.length === 0) return reportGivenBack(input, { run: chosen, items, before }, ALL_BACK);
    await confirm(io, {
      question: questionFor({ run: chosen, items }, io.clock.now()),
      yes: options.yes,
      json: global.json,
      look: `run: ${hintCommand(global, 'runs', 'show', chosen.id)}`,
    });
    return giveBack(input, home, { run: chosen, items, before });
  });
}

function questionFor({ run: chosen, items }: Chosen, now: EpochMs): string {
  const { request, startedAt } = chosen;
  const when = formatAge(startedAt, now);
  if (request.kind === 'restore-checkpoint')
    return `Undo the ${safeText(requestWords(request))} (${when})? Files that were changed since then stay.`;
  const sizeBytes = items.reduce((sum, item) => sum + item.sizeBytes, 0);
  return `Give back ${plural(items.length, 'item')} (${formatBytes(sizeBytes)}) that were removed ${when} (${requestWords(request)})?`;
}

/** What recovery gave back was all that was left. */
const ALL_BACK: CarriedRun = { outcomes: [], freedBytes: 0, interrupted: false };

interface Chosen {
  readonly run: Run;
  readonly items: readonly RunItem[];
  /** What came back just now, because an undo of this run had been cut short. */
  readonly before?: readonly Outcome[];
}

/** The last thing that happened may be a command that was cut short, so that is finished before anything is chosen. */
async function chooseRun(home: App, given: string | undefined): Promise<Chosen> {
  const retention = await home.retention();
  const recovered = await retention.recover();
  const cutShort = recovered.find(({ givenBack }) => givenBack.length > 0);
  const id = given ?? cutShort?.runId;
  if (id === undefined) return newest(retention);
  const found = await findRun(retention, id);
  const items = await itemsOf(retention, id, 'trashed', 'archived');
  return { run: found, items, before: givenBackBy(recovered, { runId: id }) };
}

async function newest(retention: Pick<Retention, 'runs' | 'items'>): Promise<Chosen> {
  let leaving = false;
  for await (const candidate of retention.runs()) {
    const found = await itemsOf(retention, candidate.id, 'trashed', 'archived', 'intended', 'undoing', 'purging');
    const items = found.filter(({ state }) => state !== 'purging');
    leaving ||= items.length < found.length;
    if (items.some(({ state }) => state === 'intended' || state === 'undoing')) throw notFinished(candidate);
    if (items.length > 0) return { run: candidate, items };
  }
  throw leaving
    ? new Failure('not-found', 'There is nothing to undo: what is left in the trash was to be removed for good.', {
        hint: 'See it with: coppice trash list',
      })
    : new Failure('not-found', 'There is nothing to undo: the trash is empty.', {
        hint: 'See what was done with: coppice runs',
      });
}

/** Undoing another instead would not be what was meant. */
function notFinished({ id }: Run): Failure {
  return new Failure('locked', `Run ${id} is at work, or was cut short and could not be finished.`, {
    hint: 'Nothing was undone. Why shows: coppice status',
  });
}

function nothingLeft({ id }: Run): Failure {
  return new Failure('not-found', `Run ${id} has nothing left to give back.`, {
    hint: `See what became of its items with: coppice runs show ${id}`,
  });
}
