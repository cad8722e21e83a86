import type { AppSession } from '../../../app/app.ts';
import { sessionDocument } from '../../../app/documents/session-document.ts';
import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { CommandInput } from '../../command.ts';
import { writeJson } from '../../print/json-output.ts';
import { safeText } from '../../print/safe-text.ts';
import { withApp } from '../../with-app.ts';
import { openByStart } from '../open-by-start.ts';

/** Changes the session that the first argument names, and says what it is now. */
export function changeSession<O>(
  input: CommandInput<O>,
  change: (session: AppSession) => Promise<SessionFacts>,
): Promise<number> {
  const { io, global, args } = input;
  return withApp(input, async (home) => {
    const session = await change(await openByStart(home, args[0] ?? ''));
    if (global.json) writeJson(io.out, sessionDocument(session));
    else io.out.write(`${describeSession(session)}\n`);
    return 0;
  });
}

/** One line that holds everything a person can change about a session. */
export function describeSession(session: SessionFacts): string {
  const facts = [
    session.title === undefined ? undefined : `"${session.title}"`,
    session.endedAt === undefined ? 'open' : `ended (${session.endReason ?? ''})`,
    session.pinned ? 'pinned' : undefined,
    session.tags.length > 0 ? `tags: ${session.tags.join(', ')}` : undefined,
  ];
  return safeText(`${session.id}  ${facts.filter((fact) => fact !== undefined).join(', ')}`);
}
