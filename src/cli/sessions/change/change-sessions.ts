import type { AppSession } from '../../../app/app.ts';
import { sessionDocument } from '../../../app/documents/session-document.ts';
import { FAILURES, Failure } from '../../../core/failure.ts';
import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { CommandInput } from '../../command.ts';
import { writeJson } from '../../print/json-output.ts';
import { printFailure } from '../../print-failure.ts';
import { withApp } from '../../with-app.ts';
import { describeSession } from './change-session.ts';
import { openByStart } from '../open-by-start.ts';

/** Changes the sessions that the arguments name, one by one. One that fails does not stop the others. */
export function changeSessions<O>(
  input: CommandInput<O>,
  change: (session: AppSession) => Promise<SessionFacts>,
): Promise<number> {
  const { io, global, args } = input;
  return withApp(input, async (home) => {
    const changed: SessionFacts[] = [];
    const failures: Failure[] = [];
    for (const id of args) {
      try {
        changed.push(await change(await openByStart(home, id)));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
    if (global.json && changed.length > 0) writeJson(io.out, { sessions: changed.map(sessionDocument) });
    if (!global.json) for (const session of changed) io.out.write(`${describeSession(session)}\n`);
    for (const failure of failures) printFailure(io, failure, global);
    return exitCode(changed, failures);
  });
}

/** All failed: the failure itself. Some failed: partly done. */
function exitCode(changed: readonly SessionFacts[], failures: readonly Failure[]): number {
  const [first] = failures;
  if (first === undefined) return 0;
  return changed.length === 0 ? first.exitCode : FAILURES.partial.exit;
}
