import { checkpointDetailDocument, type ShownCheckpoint } from '../../app/documents/checkpoint-document.ts';
import { shortId } from '../../core/retention/checkpoint.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, formatCount, formatTime, plural } from '../print/format.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { withAppRecords } from '../with-app.ts';

/** `coppice checkpoints show ID` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  return withAppRecords(input, async (home) => {
    const detail = await home.checkpoints.show(args[0] ?? '');
    if (global.json) writeJson(io.out, checkpointDetailDocument(detail));
    else print(io, detail);
    return 0;
  });
}

function print({ out, clock }: Io, detail: ShownCheckpoint): void {
  const { id, workdir, takenAt, reason, kind, sessionId, turn, fileCount, leftOutCount, pinned } = detail.checkpoint;
  const facts: [string, string | undefined][] = [
    ['checkpoint', id],
    ['folder', workdir],
    ['taken', `${formatTime(takenAt)} (${formatAge(takenAt, clock.now())})`],
    ['reason', reason || undefined],
    ['kind', kind === 'safety' ? 'saved by a restore, before it changed anything' : undefined],
    ['session', sessionId && `${sessionId}${turn === undefined ? '' : `, turn ${turn}`}`],
    ['pinned', pinned ? 'yes, it is never removed' : undefined],
    ['files', formatCount(fileCount)],
    ['left out', leftOutCount === 0 ? undefined : `${plural(leftOutCount, 'file')}, too large or not readable`],
    ['new in it', changesText(detail)],
  ];
  for (const [name, value] of facts)
    if (value !== undefined) out.write(`${out.colour.dim(name.padEnd(12))}${safeText(value)}\n`);
}

function changesText({ previous, changes }: ShownCheckpoint): string {
  const { added, changed, removed, sizeBytes } = changes;
  const counts = `${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(removed)} removed`;
  const against = previous === undefined ? 'the first of this folder' : `against ${shortId(previous.id)}`;
  return `${counts} (${formatBytes(sizeBytes)}), ${against}`;
}
