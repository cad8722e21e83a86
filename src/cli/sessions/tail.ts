import { messageDocument } from '../../app/documents/session-document.ts';
import type { Message } from '../../core/message.ts';
import type { CommandInput } from '../command.ts';
import type { TailOptions } from '../command-options.ts';
import { SCHEMA_VERSION } from '../json-output.ts';
import { withHome } from '../with-home.ts';
import { printMessage } from './print-message.ts';

const SHOWN = 10;

/** `coppice sessions tail ID`. With `--json` it prints one message per line, because the end may never come. */
export function run(input: CommandInput<TailOptions>): Promise<number> {
  const { args, options, io, global } = input;
  return withHome(input, async (home) => {
    const session = await home.sessions.open(args[0] ?? '');
    const last = options.messages ?? SHOWN;
    const messages = options.follow === true ? session.follow({ last, signal: io.signal }) : session.messages({ last });
    for await (const message of messages) {
      if (global.json) io.out.write(`${jsonLine(message)}\n`);
      else printMessage(io.out, message);
      await io.out.drained();
    }
    return 0;
  });
}

// JSON.stringify leaves these as they are, and a terminal may obey them.
const TERMINAL_CONTROLS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function jsonLine(message: Message): string {
  return JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...messageDocument(message) }).replace(
    TERMINAL_CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
