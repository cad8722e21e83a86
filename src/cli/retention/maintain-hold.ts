import { heldDocument } from '../../app/documents/status-document.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatTime } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { withApp } from '../with-app.ts';

/** `coppice maintain hold`: unattended passes remove nothing but what the trash no longer keeps, until they are released. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withApp(input, async (home) => {
    const held = await (await home.retention()).hold(true);
    if (global.json) writeJson(io.out, heldDocument(held));
    else {
      const since = held.heldSince === undefined ? '' : ` since ${formatTime(held.heldSince)}`;
      io.out.write(`Held${since}: unattended maintenance removes nothing but trash whose time is over.\n`);
      io.out.write(`Let it go on with: ${hintCommand(global, 'maintain', 'release')}\n`);
    }
    return 0;
  });
}
