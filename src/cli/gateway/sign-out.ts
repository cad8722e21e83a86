import { noteCommand } from '../../app/access/note-command.ts';
import { signOutBrowsers } from '../../app/access/page-key.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { withHome } from '../with-home.ts';

/** `coppice serve --sign-out`: ends what every browser is signed in with, whether a daemon runs or not. */
export function signOut(input: CommandInput<unknown>): Promise<number> {
  const { io, global } = input;
  return withHome(
    input,
    async (home) => {
      const signedOut = signOutBrowsers(home.path);
      noteCommand(home.audit, { what: 'serve --sign-out', at: io.clock.now() });
      if (global.json) writeJson(io.out, { signedOut });
      else io.out.write(signedOut ? DONE : NOBODY);
      return 0;
    },
    // Whatever is wrong with the configuration, a browser in wrong hands can be shut out.
    { reading: 'records' },
  );
}

const DONE = 'Every browser is signed out. To sign in again: coppice open\n';
const NOBODY = 'No browser is signed in.\n';
