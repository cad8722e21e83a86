import { heldDocument } from '../../app/documents/status-document.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { withApp } from '../with-app.ts';

/** `coppice maintain release`: unattended passes go on. What had waited gets a new notice. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withApp(input, async (home) => {
    const held = await (await home.retention()).hold(false);
    if (global.json) writeJson(io.out, heldDocument(held));
    else io.out.write('Unattended maintenance goes on. What is more than goes at once is announced anew first.\n');
    return 0;
  });
}
