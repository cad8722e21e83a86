import type { App, AppSession } from '../../app/app.ts';

/** A session by what a person typed: its id, or whatever else it can be called. */
export async function openByStart(home: App, typed: string): Promise<AppSession> {
  const { id } = await home.sessions.find(typed);
  return home.sessions.open(id);
}
