import type { App, CheckpointRestorePreview, CheckpointRestoreResult } from '../../app/app.ts';
import { previewDocument, restoreDocument } from '../../app/documents/restore-document.ts';
import { FAILURES, Failure, INTERRUPTED } from '../../core/failure.ts';
import { type RestoredFile, shortId } from '../../core/retention/checkpoint.ts';
import type { CommandInput } from '../command.ts';
import { formatAge, formatCount, formatDate, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { canAsk, confirm } from '../retention/confirm.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';
import type { RestoreOptions } from './options.ts';

/** Files named on a terminal; `--json` has all of them. */
const SHOWN = 20;

/** `coppice checkpoints restore ID [-- path…]` */
export function run(input: CommandInput<RestoreOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const [id = '', ...paths] = args;
  return withApp(input, async (home) => {
    const { checkpoints } = home;
    const withSession = options.withSession === true;
    const look = () => checkpoints.previewRestore(id, { paths, withSession, signal: io.signal });
    if (options.dryRun === true) return preview(input, await look());
    if (options.yes !== true) {
      // Looked at even where nobody can be asked: that there is no such checkpoint matters more than a missing yes.
      const found = await look();
      const asking = canAsk(io, global.json);
      if (asking) printPlan(input, found);
      if (asking && found.files.length === 0 && !withSession) return 0;
    }
    await confirm(io, {
      question: 'Go ahead? What is there now is saved first.',
      yes: options.yes,
      json: global.json,
      look: `run: ${hintCommand(global, 'checkpoints', 'restore', id, '--dry-run')}`,
    });
    return restore(input, home, { id, paths });
  });
}

function preview(input: CommandInput<RestoreOptions>, found: CheckpointRestorePreview): number {
  if (input.global.json) writeJson(input.io.out, previewDocument(found));
  else printPlan(input, found);
  return exitCode(found.files);
}

function printPlan(
  { io: { out, clock }, options }: CommandInput<RestoreOptions>,
  found: CheckpointRestorePreview,
): void {
  const { checkpoint, files } = found;
  const { workdir, takenAt, sessionId = '' } = checkpoint;
  const what = `${shortId(checkpoint.id)} (${formatAge(takenAt, clock.now())})`;
  const folder = safeText(workdir);
  out.write(files.length === 0 ? `${folder} is as it was in ${what}.\n` : `To bring ${folder} back to ${what}:\n`);
  for (const file of files.slice(0, SHOWN))
    out.write(`  ${PLANNED[file.kind]} ${safeText(file.path.toString())}${whyOf(file)}\n`);
  if (files.length > SHOWN) out.write(`  … and ${formatCount(files.length - SHOWN)} more\n`);
  if (options.withSession === true) out.write(`The conversation ${safeText(sessionId)} goes back to the same turn.\n`);
}

const PLANNED: Record<RestoredFile['kind'], string> = { added: 'create ', changed: 'rewrite', removed: 'remove ' };

function whyOf(file: RestoredFile): string {
  return file.status === 'skipped' ? ` (left alone: ${safeText(file.detail)})` : '';
}

interface Wanted {
  readonly id: string;
  readonly paths: readonly string[];
}

async function restore(input: CommandInput<RestoreOptions>, home: App, { id, paths }: Wanted): Promise<number> {
  const { io, options, global } = input;
  using progress = startProgress(io, { label: 'Restoring' });
  const files: RestoredFile[] = [];
  const onFile = (file: RestoredFile) => {
    files.push(file);
    progress.update({ done: files.length });
  };
  const withSession = options.withSession === true;
  try {
    const result = await home.checkpoints.restore(id, { paths, withSession, signal: io.signal, onFile });
    progress[Symbol.dispose]();
    if (global.json) writeJson(io.out, restoreDocument(result, files));
    else print(input, result, files);
    return result.sessionDetail === undefined ? exitCode(files) : FAILURES.partial.exit;
  } catch (error) {
    if (!io.signal.aborted || error instanceof Failure) throw error;
    progress[Symbol.dispose]();
    const back = `Run the same command again to go on, or go back with: ${hintCommand(global, 'undo')}`;
    io.err.write(`Stopped after ${plural(files.length, 'file')}. ${back}\n`);
    return INTERRUPTED;
  }
}

function print(
  { io, global, options }: CommandInput<RestoreOptions>,
  result: CheckpointRestoreResult,
  files: readonly RestoredFile[],
): void {
  const { checkpoint, run: undo, done, skipped, sessionDetail } = result;
  const { out, err } = io;
  const workdir = safeText(checkpoint.workdir);
  const target = out.colour.bold(shortId(checkpoint.id));
  if (undo === undefined) return out.write(`Nothing was changed: ${workdir} is as it was in ${target}.\n`);
  out.write(`Brought ${plural(done, 'file')} of ${workdir} back to ${target}.\n`);
  const left = files.flatMap((file) => (file.status === 'skipped' ? [file] : []));
  for (const { path, detail } of left.slice(0, SHOWN))
    err.write(`Left alone: ${safeText(`${path.toString()}. ${detail}`)}\n`);
  if (skipped > SHOWN) err.write(`… and ${formatCount(skipped - SHOWN)} more\n`);
  if (options.withSession === true && sessionDetail === undefined)
    out.write(`The conversation ${safeText(checkpoint.sessionId ?? '')} went back to the same turn.\n`);
  if (sessionDetail !== undefined) err.write(`The conversation stays as it is. ${sessionDetail}\n`);
  out.write(`Undo until ${formatDate(undo.expiresAt)}: ${hintCommand(global, 'undo', undo.id)}\n`);
}

function exitCode(files: readonly RestoredFile[]): number {
  return files.every(({ status }) => status === 'done') ? 0 : FAILURES.partial.exit;
}
