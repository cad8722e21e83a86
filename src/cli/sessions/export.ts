import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import type { ExportFormat } from '../../app/transfer/export/export-sessions.ts';
import { writeExport } from '../../app/transfer/export/write-export.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { ExportOptions } from '../command-options.ts';
import { formatBytes, plural } from '../print/format.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { safeLines, safeText } from '../print/safe-text.ts';
import { withAppRecords } from '../with-app.ts';
import { howChosen, matchingIds } from './chosen-ids.ts';

/** `coppice sessions export`: to stdout, or into a file that only its owner can read. */
export function run(input: CommandInput<ExportOptions>): Promise<number> {
  const { args, options, io, global } = input;
  if (global.json && options.out === undefined) {
    throw new Failure('usage', 'With --json, stdout is for the report, so the export needs a file of its own.', {
      hint: 'Add --out FILE, or leave --json out.',
    });
  }
  const chosen = howChosen(input);
  return withAppRecords(input, async (home) => {
    const ids = chosen === 'ids' ? await foundIds(home, args) : await matchingIds(home, input);
    const text = home.sessions.export({ ids, format: FORMATS[options.format], redact: options.redact ?? false });
    if (options.out === undefined) {
      for await (const piece of text) {
        // A file gets every character as it is; a terminal might obey some of them.
        io.out.write(io.out.isTerminal ? safeLines(piece) : piece);
        await io.out.drained();
      }
      return 0;
    }
    const file = resolve(io.cwd, options.out);
    const { sizeBytes } = await writeExport(file, counted(input, text));
    if (global.json) writeJson(io.out, { file, format: options.format, sizeBytes, sessions: ids });
    else io.out.write(`Wrote ${plural(ids.length, 'session')} to ${safeText(file)} (${formatBytes(sizeBytes)}).\n`);
    return 0;
  });
}

async function foundIds(home: App, named: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const id of named) ids.push((await home.sessions.find(id)).id);
  return ids;
}

/** What people type, and what it is called. */
const FORMATS: Record<ExportOptions['format'], ExportFormat> = { jsonl: 'jsonl', md: 'markdown', html: 'html' };

async function* counted({ io }: CommandInput<ExportOptions>, text: AsyncIterable<string>): AsyncGenerator<string> {
  using progress = startProgress(io, { label: 'Exporting' });
  let done = 0;
  let bytes = 0;
  for await (const piece of text) {
    io.signal.throwIfAborted();
    yield piece;
    bytes += piece.length;
    progress.update({ done: (done += 1), bytes });
  }
}
