import { stopOnSignals } from '../../app/stop-on-signals.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { withApp } from '../with-app.ts';

/** `coppice cron run NAME` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  const name = args[0] ?? '';
  return withApp(input, async (home) => {
    using stop = stopOnSignals(io.signal);
    const { sessionId, outcome, why, undelivered } = await (await home.scheduler()).run(name, stop.signal);
    if (global.json) {
      writeJson(io.out, { job: name, sessionId, outcome, ...(why !== undefined && { why }), undelivered });
    } else {
      io.out.write(`${safeText([`${sessionId}: ${outcome}.`, why].join(' ').trim())}\n`);
      const look = hintCommand(global, 'sessions', 'show', sessionId, '--messages', 'all');
      const kept = outcome === 'done' ? undefined : await home.sessions.get(sessionId);
      if (kept !== undefined) io.err.write(`See what happened with: ${look}\n`);
      if (undelivered > 0) io.err.write('Its output could not be delivered yet. coppice serve keeps trying.\n');
    }
    return outcome === 'done' ? 0 : FAILURES.partial.exit;
  });
}
