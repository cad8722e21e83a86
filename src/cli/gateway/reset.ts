import { sessionDocument } from '../../app/documents/session-document.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';

/** `coppice sessions reset KEY` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  const key = args[0] ?? '';
  return withApp(input, async (home) => {
    const session = await home.gateway.reset(key);
    if (global.json) writeJson(io.out, { key, session: sessionDocument(session) });
    else
      io.out.write(`${safeText(key)} starts afresh at the next message. ${session.id} has ended and stays readable.\n`);
    return 0;
  });
}
