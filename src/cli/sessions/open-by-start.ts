import type { Home } from '../../app/home.ts';
import type { Session } from '../../app/sessions/session.ts';

/** A session by what a person typed: its id, or the first characters of it. */
export async function openByStart(home: Home, typed: string): Promise<Session> {
  const { id } = await home.sessions.find(typed);
  return home.sessions.open(id);
}
