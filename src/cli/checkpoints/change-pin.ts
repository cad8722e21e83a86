import type { AppCheckpoints } from '../../app/app.ts';
import { checkpointDocument } from '../../app/documents/checkpoint-document.ts';
import { type Checkpoint, shortId } from '../../core/retention/checkpoint.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { withApp } from '../with-app.ts';

type Change = (checkpoints: AppCheckpoints, id: string) => Promise<Checkpoint>;

/** Changes the protection of the checkpoint that the first argument names, and says what it is now. */
export function changePin(input: CommandInput<NoOptions>, change: Change): Promise<number> {
  const { args, io, global } = input;
  return withApp(input, async (home) => {
    const checkpoint = await change(home.checkpoints, args[0] ?? '');
    const state = checkpoint.pinned ? 'is pinned: nothing removes it' : 'is no longer pinned';
    if (global.json) writeJson(io.out, checkpointDocument(checkpoint));
    else io.out.write(`${shortId(checkpoint.id)} ${state}.\n`);
    return 0;
  });
}
