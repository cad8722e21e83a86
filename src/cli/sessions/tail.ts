import { messageDocument } from '../../app/documents/session-document.ts';
import type { CommandInput } from '../command.ts';
import type { TailOptions } from '../command-options.ts';
import { jsonLine } from '../print/json-output.ts';
import { withAppRecords } from '../with-app.ts';
import { printMessage } from './print-message.ts';

const SHOWN = 10;

/** `coppice sessions tail ID`. With `--json` it prints one message per line, because the end may never come. */
export function run(input: CommandInput<TailOptions>): Promise<number> {
  const { args, options, io, global } = input;
  return withAppRecords(
    input,
    async (home) => {
      const { id } = await home.sessions.find(args[0] ?? '');
      const session = await home.sessions.open(id);
      const last = options.messages ?? SHOWN;
      const messages =
        options.follow === true ? session.follow({ last, signal: io.signal }) : session.messages({ last });
      for await (const message of messages) {
        if (global.json) io.out.write(jsonLine(messageDocument(message)));
        else printMessage(io.out, message);
        await io.out.drained();
      }
      return 0;
    },
    { long: options.follow === true },
  );
}
