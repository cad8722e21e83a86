import type { App } from '../../app/app.ts';
import { contentText } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';

/** How far into a session the first prompt is looked for: system messages come before it. */
const FIRST_MESSAGES = 5;
const LABEL_LENGTH = 200;

/** What a person recognises a session by: its title, else the first line of what was asked first. */
export async function sessionLabel(home: Pick<App, 'sessions'>, session: SessionFacts): Promise<string> {
  if (session.title !== undefined) return session.title;
  if (session.archivedAt !== undefined) return firstLine((await home.sessions.archivedPrompts(session.id)) ?? '');
  const opened = await home.sessions.open(session.id);
  for await (const message of opened.messages({ from: 1, to: FIRST_MESSAGES })) {
    if (message.role === 'user') return firstLine(contentText(message.content));
  }
  return '';
}

function firstLine(text: string): string {
  const [line = ''] = text.trimStart().slice(0, LABEL_LENGTH).split('\n', 1);
  return line.trimEnd();
}
