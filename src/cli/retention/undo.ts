import type { App } from '../../app/app.ts';
import { findRun } from '../../app/find-run.ts';
import type { Retention } from '../../app/retention.ts';
import { Failure } from '../../core/failure.ts';
import type { Run, RunItem } from '../../core/run.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { UndoOptions } from '../command-options.ts';
import { formatAge, formatBytes, plural } from '../format.ts';
import { hintCommand } from '../hint-command.ts';
import { safeText } from '../safe-text.ts';
import { withApp } from '../with-app.ts';
import { confirm } from './confirm.ts';
import { giveBack } from './give-back.ts';
import { itemsOf } from './items-of.ts';
import { requestWords } from './words.ts';

/** `coppice undo [RUN]`: without one, the newest run that still has something to give back. */
export function run(input: CommandInput<UndoOptions>): Promise<number> {
  const { args, io, global, options } = input;
  return withApp(input, async (home) => {
    const { run: chosen, items } = await chooseRun(home, args[0]);
    if (items.length === 0) throw nothingLeft(chosen);
    await confirm(io, {
      question: questionFor({ run: chosen, items }, io.clock.now()),
      yes: options.yes,
      json: global.json,
      look: `run: ${hintCommand(global, 'runs', 'show', chosen.id)}`,
    });
    return giveBack(input, home, { run: chosen, items });
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

interface Chosen {
  readonly run: Run;
  readonly items: readonly RunItem[];
}

async function chooseRun(home: App, id: string | undefined): Promise<Chosen> {
  const retention = await home.retention();
  if (id === undefined) return newest(retention);
  const found = await findRun(retention, id);
  return { run: found, items: await itemsOf(retention, id, 'trashed', 'archived') };
}

async function newest(retention: Pick<Retention, 'runs' | 'items'>): Promise<Chosen> {
  for await (const candidate of retention.runs()) {
    const items = await itemsOf(retention, candidate.id, 'trashed', 'archived');
    if (items.length > 0) return { run: candidate, items };
  }
  throw new Failure('not-found', 'There is nothing to undo: the trash is empty.', {
    hint: 'See what was done with: coppice runs',
  });
}

function nothingLeft({ id }: Run): Failure {
  return new Failure('not-found', `Run ${id} has nothing left to give back.`, {
    hint: `See what became of its items with: coppice runs show ${id}`,
  });
}
