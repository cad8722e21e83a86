import type { App } from '../../app/app.ts';
import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { placeInList } from '../../core/sessions/session-names.ts';
import type { CommandInput } from '../command.ts';
import type { DeleteOptions } from '../command-options.ts';
import { formatAge } from '../print/format.ts';
import { safeText } from '../print/safe-text.ts';
import { sessionLabel } from './session-label.ts';

/** What a person named to be removed, and which of it was not named by its whole id. */
export interface NamedSessions {
  readonly ids: readonly string[];
  readonly byOtherNames: readonly SessionFacts[];
}

/**
 * The sessions that were named to be removed. A place in the list is another session a moment later, so it is taken only where somebody is
 * asked; and for good without asking goes only what was named by its whole id.
 */
export async function namedSessions(
  { options }: CommandInput<DeleteOptions>,
  home: App,
  typed: readonly string[],
): Promise<NamedSessions> {
  const unasked = options.yes === true && options.dryRun !== true;
  const ids = new Set<string>();
  const byOtherNames: SessionFacts[] = [];
  for (const name of typed) {
    const whole = await home.sessions.get(name);
    const facts = whole ?? (await found(home, name));
    if (whole === undefined && unasked) refuseUnasked(name, facts, options);
    if (whole === undefined && !ids.has(facts.id)) byOtherNames.push(facts);
    ids.add(facts.id);
  }
  return { ids: [...ids], byOtherNames };
}

/** Shows what was not named by its whole id, before anything is asked or done. */
export async function showNamed(
  { io, global }: CommandInput<object>,
  home: App,
  sessions: readonly SessionFacts[],
): Promise<void> {
  if (global.json) return;
  for (const facts of sessions) {
    const label = await sessionLabel(home, facts);
    const about = `${facts.source}, last active ${formatAge(facts.lastActiveAt, io.clock.now())}`;
    io.err.write(`${safeText(facts.id)}  ${safeText(label === '' ? about : `${label}  (${about})`)}\n`);
  }
}

async function found(home: App, name: string): Promise<SessionFacts> {
  try {
    return await home.sessions.find(name);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const hint = ['Nothing was removed.', error.hint ?? ''].join(' ').trimEnd();
    throw new Failure(error.code, error.message, { hint, cause: error });
  }
}

function refuseUnasked(name: string, { id }: SessionFacts, { purge }: DeleteOptions): void {
  const hint = `It is ${id} now. Give that id instead, or leave --yes out to be asked.`;
  if (placeInList(name) !== undefined) {
    const why = `${name} may be another session by the time this is done, so it is not removed without asking.`;
    throw new Failure('usage', `${why} Nothing was removed.`, { hint });
  }
  if (purge === true) {
    const why = 'What goes for good without asking must be named by its whole id.';
    throw new Failure('usage', `${why} Nothing was removed.`, { hint });
  }
}
