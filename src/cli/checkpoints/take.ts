import type { App } from '../../app/app.ts';
import { takeDocument } from '../../app/documents/checkpoint-document.ts';
import { FAILURES, Failure } from '../../core/failure.ts';
import { type LeftOutFile, shortId, type TakeResult } from '../../core/retention/checkpoint.ts';
import type { CommandInput } from '../command.ts';
import { formatAge, formatCount, plural } from '../print/format.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';
import type { TakeOptions } from './options.ts';

/** Left-out files named; `--json` has all of them. */
const SHOWN = 10;

/** `coppice checkpoints take [DIR]` */
export function run(input: CommandInput<TakeOptions>): Promise<number> {
  const { args, options, io, global } = input;
  return withApp(input, async (home) => {
    const result = await take(home);
    if (result.status === 'refused') throw new Failure('refused', result.message, { hint: result.hint });
    if (global.json) writeJson(io.out, takeDocument(result));
    else print(io, result);
    return exitCode(result.leftOut);
  });

  async function take({ checkpoints }: App): Promise<TakeResult> {
    using progress = startProgress(io, { label: 'Saving' });
    return await checkpoints.take(
      {
        workdir: args[0] ?? io.cwd,
        reason: options.reason ?? 'by hand',
        ...(options.session !== undefined && { sessionId: options.session }),
      },
      { signal: io.signal, onProgress: (done, total) => progress.update({ done, total }) },
    );
  }
}

type Taken = Exclude<TakeResult, { status: 'refused' }>;

/** What is too large was left out by the rules; what could not be read is something that was asked for and not done. */
function exitCode(leftOut: readonly LeftOutFile[]): number {
  return leftOut.every(({ why }) => why === 'too-large') ? 0 : FAILURES.partial.exit;
}

function print({ out, err, clock }: Io, { status, checkpoint, leftOut }: Taken): void {
  const { takenAt, fileCount, workdir } = checkpoint;
  const id = shortId(checkpoint.id);
  out.write(
    status === 'taken'
      ? `Saved ${plural(fileCount, 'file')} of ${safeText(workdir)} as ${out.colour.bold(id)}.\n`
      : `Nothing has changed in ${safeText(workdir)} since ${out.colour.bold(id)} (${formatAge(takenAt, clock.now())}).\n`,
  );
  for (const { path, why } of leftOut.slice(0, SHOWN)) err.write(`Left out: ${safeText(path)} (${WHY[why]})\n`);
  if (leftOut.length > SHOWN) err.write(`… and ${formatCount(leftOut.length - SHOWN)} more\n`);
}

const WHY: Record<LeftOutFile['why'], string> = {
  'too-large': 'larger than checkpoints.max_file_size_mb',
  unreadable: 'cannot be read',
  changing: 'was changing while it was read',
};
