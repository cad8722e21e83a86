import { mergeSessions } from '../../app/machine/merge-sessions.ts';
import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { placeInList } from '../../core/sessions/session-names.ts';
import { isoTime } from '../../core/time.ts';
import type { OpenKnownHome } from './open-homes.ts';

/** A session that was named, and the home that has it. */
export interface FoundSession {
  readonly at: OpenKnownHome;
  /** What means it in that home: what was typed, or its place in the list of that home alone. */
  readonly typed: string;
}

/**
 * The session that is meant by what a person typed, in whichever home it is; undefined where none is. Never one of several: those are
 * named instead, with the home of each.
 */
export async function findSession(open: readonly OpenKnownHome[], typed: string): Promise<FoundSession | undefined> {
  const place = placeInList(typed);
  if (place !== undefined) return atPlace(open, place);
  const meant = await allMeant(open, typed);
  const [only] = meant;
  if (meant.length > 1) throw await several(typed, meant);
  return only && { at: only.at, typed };
}

/** `@2` is the second of the list of all homes, and may be the first of its own. */
async function atPlace(open: readonly OpenKnownHome[], place: number): Promise<FoundSession | undefined> {
  const sources = open.map(({ known: { name }, home }) => ({ name, sessions: home.sessions.list({ limit: place }) }));
  const seen = new Map<string, number>();
  let left = place;
  for await (const { home } of mergeSessions(sources)) {
    const number = (seen.get(home) ?? 0) + 1;
    seen.set(home, number);
    left -= 1;
    const at = open.find(({ known }) => known.name === home);
    if (left === 0 && at !== undefined) return { at, typed: `@${number}` };
  }
  return undefined;
}

interface Meant {
  readonly at: OpenKnownHome;
  readonly facts: SessionFacts;
}

/** A whole id goes before all else, and a part of an id or a whole title before the beginning of one: as in a single home. */
async function allMeant(open: readonly OpenKnownHome[], typed: string): Promise<readonly Meant[]> {
  const exact = await inEach(open, ({ home }) => home.sessions.get(typed));
  if (exact.length > 0) return exact;
  const found = await inEach(open, (at) => findIn(at, typed));
  const closer = found.filter(
    ({ facts: { id, title } }) => id.startsWith(typed) || id.endsWith(typed) || title === typed,
  );
  return closer.length > 0 ? closer : found;
}

async function inEach(
  open: readonly OpenKnownHome[],
  find: (at: OpenKnownHome) => Promise<SessionFacts | undefined>,
): Promise<Meant[]> {
  const meant: Meant[] = [];
  for (const at of open) {
    const facts = await find(at);
    if (facts !== undefined) meant.push({ at, facts });
  }
  return meant;
}

async function findIn({ home, known }: OpenKnownHome, typed: string): Promise<SessionFacts | undefined> {
  try {
    return await home.sessions.find(typed);
  } catch (error) {
    if (error instanceof Failure && error.code === 'not-found') return undefined;
    if (!(error instanceof Failure)) throw error;
    const hint = `They are in the home ${known.name}. Give more characters, or the id in front of the one that you mean.`;
    throw new Failure(error.code, error.message, { hint, cause: error });
  }
}

async function several(typed: string, meant: readonly Meant[]): Promise<Failure> {
  const newestFirst = meant.toSorted((a, b) => b.facts.lastActiveAt - a.facts.lastActiveAt);
  const lines = await Promise.all(newestFirst.map(line));
  const [first] = newestFirst;
  return new Failure('usage', [`Sessions of several homes could be meant by ${typed}:`, ...lines].join('\n'), {
    hint: `Say in which home it is, such as: --home ${first?.at.known.name ?? 'NAME'}`,
  });
}

const TITLE_LENGTH = 60;

async function line({ at, facts }: Meant): Promise<string> {
  const { id, source, lastActiveAt, title = `without a title, from ${source}` } = facts;
  const shown = (await at.home.sessions.shortIds([id])).get(id) ?? id;
  const when = isoTime(lastActiveAt).slice(0, 16).replace('T', ' ');
  const words = [...title.replace(/\s+/g, ' ')].slice(0, TITLE_LENGTH).join('');
  return `  ${at.known.name}  ${shown}  ${when} UTC  ${words}`;
}
