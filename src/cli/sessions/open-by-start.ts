import type { App, AppSession } from '../../app/app.ts';

/** A session by what a person typed: its id, or the first characters of it. */
export async function openByStart(home: App, typed: string): Promise<AppSession> {
  const { id } = await home.sessions.find(typed);
  return home.sessions.open(id);
}
