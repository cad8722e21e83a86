import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { placeInList } from '../../core/sessions/session-names.ts';
import { isoTime } from '../../core/time.ts';
import { idsMeant, type Naming } from './ids-meant.ts';
import { shortIdOf } from './short-ids.ts';

/**
 * The session that a person means by what is no whole id: a place in the list, characters that one id alone begins or ends with, a title,
 * or what one title alone begins with. Never one of several: those are named instead.
 */
export async function findByName(store: Naming, typed: string): Promise<SessionFacts> {
  const place = placeInList(typed);
  if (place !== undefined) return atPlace(store, place, typed);
  const ids = await idsMeant(store, typed, MOST_MEANT);
  const found = await Promise.all(ids.map((id) => store.get(id)));
  const sessions = found.filter((facts) => facts !== undefined);
  const [only] = sessions;
  if (only === undefined) throw nobody(typed);
  if (sessions.length > 1) throw await several(store, typed, sessions);
  return only;
}

/** More than are told of, so that it is known that there are more. */
const MOST_MEANT = 20;
const TOLD = 5;

async function atPlace(store: Naming, place: number, typed: string): Promise<SessionFacts> {
  for await (const facts of store.list({ skip: place - 1, limit: 1 })) return facts;
  throw new Failure('not-found', `There is no session ${typed}: the list is not that long.`, { hint: LIST });
}

const LIST = 'List them with: coppice sessions list';

function nobody(typed: string): Failure {
  return new Failure('not-found', `There is no session with the id or title ${typed}.`, { hint: LIST });
}

async function several(store: Naming, typed: string, sessions: readonly SessionFacts[]): Promise<Failure> {
  const newestFirst = sessions.toSorted((a, b) => b.lastActiveAt - a.lastActiveAt);
  const lines = await Promise.all(newestFirst.slice(0, TOLD).map((facts) => line(store, facts)));
  if (sessions.length > TOLD) lines.push('  … and more');
  return new Failure('usage', [`Several sessions could be meant by ${typed}:`, ...lines].join('\n'), {
    hint: 'Give more characters, or the id in front of the one that you mean. See more with: coppice sessions list',
  });
}

const TITLE_LENGTH = 60;

async function line(store: Naming, facts: SessionFacts): Promise<string> {
  const { source, lastActiveAt, title = `without a title, from ${source}` } = facts;
  const when = isoTime(lastActiveAt).slice(0, 16).replace('T', ' ');
  const words = [...title.replace(/\s+/g, ' ')];
  const shown = words.length > TITLE_LENGTH ? `${words.slice(0, TITLE_LENGTH).join('')}…` : words.join('');
  return `  ${await shortIdOf(store, facts.id)}  ${when} UTC  ${shown}`;
}
