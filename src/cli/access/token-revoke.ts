import { noteCommand } from '../../app/access/note-command.ts';
import { revokeToken } from '../../app/access/token-files.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { withHome } from '../with-home.ts';

/** `coppice token revoke NAME` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  const name = args[0] ?? '';
  return withHome(
    input,
    async (home) => {
      revokeToken(home.path, name);
      noteCommand(home.audit, { what: 'token revoke', subject: name, at: io.clock.now() });
      if (global.json) writeJson(io.out, { revoked: name });
      else io.out.write(`The token ${name} is taken back. It is refused from the next request on.\n`);
      return 0;
    },
    // Whatever is wrong with the configuration, a token that got into wrong hands can be taken back.
    { reading: 'records' },
  );
}
