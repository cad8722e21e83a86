import type { App, CheckpointDiffOptions } from '../../app/app.ts';
import { diffDocument, type ShownDiff } from '../../app/documents/restore-document.ts';
import type { FileDiff } from '../../core/retention/checkpoint.ts';
import type { CommandInput } from '../command.ts';
import { formatCount, plural } from '../print/format.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { safeLines } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';
import type { DiffOptions } from './options.ts';

/** `coppice checkpoints diff ID [ID2] [-- path…]` */
export function run(input: CommandInput<DiffOptions>): Promise<number> {
  const { args, options, io, global } = input;
  return withAppToLook(input, async (home) => {
    const id = args[0] ?? '';
    const compared = { ...(await sidesOf(home, args.slice(1))), signal: io.signal };
    if (global.json) writeJson(io.out, diffDocument(await home.checkpoints.diff(id, compared)));
    else {
      const printed =
        options.stat === true
          ? printStat(io, await home.checkpoints.diff(id, compared))
          : await printText(io, home.checkpoints.diffText(id, compared));
      if (!printed) io.out.write(`${unchanged(compared)}\n`);
    }
    return 0;
  });
}

/** The first word may name another checkpoint. A file of such a name is given as `./name`. */
async function sidesOf(home: App, words: readonly string[]): Promise<CheckpointDiffOptions> {
  const [first = '', ...rest] = words;
  const known = /^[0-9a-f]{4,40}$/i.test(first) ? await home.checkpoints.list() : [];
  const isCheckpoint = known.some(({ id }) => id.startsWith(first.toLowerCase()));
  return isCheckpoint ? { to: first, paths: rest } : { paths: words };
}

/** A name that is nowhere differs in nothing, so what names mean is said. */
function unchanged({ paths = [] }: CheckpointDiffOptions): string {
  if (paths.length === 0) return 'Nothing differs.';
  return 'Nothing differs in what you named. Names are literal, and begin at the folder of the checkpoint.';
}

/** Both say whether there was anything to print. */
function printStat({ out }: Io, { files }: ShownDiff): boolean {
  if (files.length === 0) return false;
  const columns = [{ title: 'CHANGE' }, { title: 'LINES' }, { title: 'FILE', shrink: true, minWidth: 20 }];
  const rows = files.map((file) => [file.kind, linesOf(file), file.path.toString()]);
  const lines = files.filter((file) => !file.binary);
  const added = lines.reduce((sum, file) => sum + file.addedLines, 0);
  const removed = lines.reduce((sum, file) => sum + file.removedLines, 0);
  out.write(renderTable({ columns, rows, width: out.columns, colour: out.colour }));
  out.write(`${plural(files.length, 'file')}, ${plural(added, 'line')} added, ${formatCount(removed)} removed\n`);
  return true;
}

function linesOf(file: FileDiff): string {
  return file.binary ? 'binary' : `+${file.addedLines} -${file.removedLines}`;
}

/** On a terminal no content may give orders to it, and a carriage return is seen; a file or program gets the text as it is. */
async function printText({ out }: Io, pieces: AsyncIterable<string>): Promise<boolean> {
  let printed = false;
  for await (const piece of pieces) {
    printed = true;
    out.write(out.isTerminal ? safeLines(piece.replaceAll('\r', '␍')) : piece);
    await out.drained();
  }
  return printed;
}
