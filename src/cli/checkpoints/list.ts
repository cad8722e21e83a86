import { checkpointDocument } from '../../app/documents/checkpoint-document.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import { forSamePlace, hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';
import { checkpointColumns } from './checkpoint-columns.ts';
import type { CheckpointListOptions } from './options.ts';

/** `coppice checkpoints list [DIR|--all]` */
export function run(input: CommandInput<CheckpointListOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const all = options.all === true;
  if (all && args[0] !== undefined) {
    throw new Failure('usage', 'A folder and --all were both given.', { hint: 'Leave one of them out.' });
  }
  return withAppRecords(input, async (home) => {
    const checkpoints = await home.checkpoints.list(all ? {} : { workdir: args[0] ?? io.cwd });
    if (global.json) writeJson(io.out, { checkpoints: checkpoints.map(checkpointDocument) });
    else if (checkpoints.length === 0)
      io.out.write(
        home.foreign === undefined && all ? forSamePlace(global, NONE) : noneHere(input, home.foreign?.agent),
      );
    else {
      const { columns, rows } = checkpointColumns(checkpoints, { now: io.clock.now(), all });
      io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
    }
    return 0;
  });
}

const NONE =
  'There are no checkpoints yet.\nTake the first in the folder of a project with: coppice checkpoints take\n';

function noneHere({ global }: CommandInput<CheckpointListOptions>, agent: string | undefined): string {
  const first =
    agent !== undefined
      ? `${agent} has no checkpoints here.`
      : `There are no checkpoints of this folder.\nTake one with: ${hintCommand(global, 'checkpoints', 'take')}`;
  return `${first}\nSee those of every folder with: ${hintCommand(global, 'checkpoints', 'list', '--all')}\n`;
}
