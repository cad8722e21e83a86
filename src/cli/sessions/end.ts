import { Failure } from '../../core/failure.ts';
import { ENDED_BY_HAND } from '../../core/sessions/ended-by-hand.ts';
import type { CommandInput } from '../command.ts';
import type { EndOptions } from '../command-options.ts';
import { plural } from '../print/format.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';
import { changeSession } from './change/change-session.ts';

/** `coppice sessions end ID`, or `--crashed` for those whose process is gone. */
export function run(input: CommandInput<EndOptions>): Promise<number> {
  const { args, options } = input;
  if ((args[0] === undefined) === (options.crashed !== true)) {
    throw new Failure('usage', 'Name one session, or say --crashed for all whose process is gone.', {
      hint: 'See which are open with: coppice sessions list --active',
    });
  }
  if (options.crashed === true) return endCrashed(input);
  return changeSession(input, (session) => session.end(options.reason ?? ENDED_BY_HAND));
}

function endCrashed(input: CommandInput<EndOptions>): Promise<number> {
  const { io, global, options } = input;
  return withApp(input, async (home) => {
    const sessions = await home.sessions.endCrashed(options.reason);
    if (global.json) writeJson(io.out, { sessions });
    else if (sessions.length === 0)
      io.out.write('No open session was held by a process of this machine that is gone.\n');
    else {
      for (const { id, pid, host } of sessions)
        io.out.write(`${safeText(id)}  ended: process ${pid} on ${safeText(host)}, which held it, is gone\n`);
      io.out.write(`Ended ${plural(sessions.length, 'session')}.\n`);
    }
    return 0;
  });
}
