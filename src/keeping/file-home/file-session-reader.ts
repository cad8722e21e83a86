import { Failure } from '../../core/failure.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { NamePart } from '../../core/sessions/session-names.ts';
import {
  type ListQuery,
  type MessageRange,
  type SessionReader,
  SORT_MEASURES,
  type StoreCheck,
} from '../../core/stores/session-reader.ts';
import { errorCode } from '../../platform/error-code.ts';
import { fitsName, isAboutTitle } from '../fits-name.ts';
import { messagesInRange } from '../message-range.ts';
import { transcriptMessages } from './count-session.ts';
import type { FoundSession } from './file-agent.ts';
import { fileSessionFacts, timesOf } from './file-session-facts.ts';
import { isAsWritten } from './file-trash.ts';
import type { FileHome } from './open-file-home.ts';
import { piecesOf } from './session-pieces.ts';

/** The sessions of a home whose sessions are files, read where they are. Nothing is open between two questions. */
export function createFileSessionReader(home: FileHome): SessionReader {
  return {
    get: (id) => readSession(home, id, (session) => countedFacts(home, session)),
    idsNamed: (part, limit) => idsNamed(home, part, limit),
    list: (query) => list(home, query),
    messages: (id, range) => messages(home, id, range),
    async usageByModel(id) {
      return (await readSession(home, id, (session) => home.counter.count(session)))?.usageByModel ?? [];
    },
    check: () => check(home),
  };
}

/** Reads a session as it is this moment. It may have been written to, or have gone, since the home was looked at. */
async function readSession<T>(
  home: FileHome,
  id: string,
  read: (session: FoundSession) => Promise<T>,
): Promise<T | undefined> {
  const session = await findSession(home, id);
  try {
    return session && (await read(session));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const again = (await home.look()).byId.get(id);
    return again && read(again);
  }
}

async function findSession(home: FileHome, id: string): Promise<FoundSession | undefined> {
  const session = (await home.recentLook()).byId.get(id);
  const pieces = session === undefined ? [] : piecesOf(session);
  return pieces.every((piece) => isAsWritten(home.home, piece)) ? session : (await home.look()).byId.get(id);
}

async function countedFacts(home: FileHome, session: FoundSession): Promise<SessionFacts> {
  const described = await home.describer.one(session);
  return fileSessionFacts(home.agent.name, session, { described, count: await home.counter.count(session) });
}

async function idsNamed(home: FileHome, part: NamePart, limit: number): Promise<readonly string[]> {
  const { sorted } = await home.recentLook();
  const inOrder = sorted.sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (!isAboutTitle(part)) return inOrder.flatMap(({ id }) => (fitsName(part, id) ? [id] : [])).slice(0, limit);
  const ids: string[] = [];
  for await (const [{ id }, { title }] of home.describer.all(inOrder)) {
    if (title !== undefined && fitsName(part, title)) ids.push(id);
    if (ids.length >= limit) break;
  }
  return ids;
}

/** Sorts that need all of each session to be read. */
const COUNTED: ReadonlySet<string> = new Set(['messages', 'tokens', 'cost']);

/** What is read of sessions that a list leaves out is bounded; of those that it shows, all is counted. */
async function* list(home: FileHome, query: ListQuery = {}): AsyncGenerator<SessionFacts> {
  const { sort = 'last', limit = Number.POSITIVE_INFINITY } = query;
  if (query.archived === true || (query.source ?? home.agent.name) !== home.agent.name) return;
  const { sorted } = await home.recentLook();
  const inUse = query.open === true || query.active !== undefined;
  const found: { readonly session: FoundSession; readonly facts: SessionFacts }[] = [];
  const wanted = sorted.sessions.filter(({ active }) => active || !inUse);
  for await (const [session, described] of home.describer.all(wanted)) {
    const { lastActiveAt } = timesOf(session, described);
    if (lastActiveAt < (query.since ?? 0) || lastActiveAt >= (query.before ?? Number.POSITIVE_INFINITY)) continue;
    const count = COUNTED.has(sort) ? await home.counter.count(session) : undefined;
    found.push({ session, facts: fileSessionFacts(home.agent.name, session, { described, count }) });
  }
  if (sort !== 'stored') {
    const value = SORT_MEASURES[sort];
    found.sort((a, b) => value(b.facts) - value(a.facts) || (a.session.id < b.session.id ? 1 : -1));
  }
  for (const { session, facts } of found.slice(0, limit)) {
    yield query.uncounted === true ? facts : await countedFacts(home, session);
  }
}

async function* messages(home: FileHome, id: string, range: MessageRange = {}): AsyncGenerator<Message> {
  const session = await findSession(home, id);
  if (session === undefined) return;
  const { startedAt } = timesOf(session, await home.describer.one(session));
  yield* messagesInRange(transcriptMessages(home, session, startedAt), range);
}

async function* check(home: FileHome): AsyncGenerator<StoreCheck> {
  const { sorted, tree } = await home.look();
  const unread = tree.unread.map(({ path, error }) => {
    return { kind: 'unreadable', subject: path, message: `${path} cannot be read: ${error.replace(/\.$/, '')}.` };
  });
  yield { name: 'files', problems: [...sorted.problems, ...unread] };
  const problems = [];
  for await (const [, { problem }] of home.describer.all(sorted.sessions))
    if (problem !== undefined) problems.push(problem);
  yield { name: 'sessions', problems };
}

/** The refusal of everything that would change a session of another agent. */
export function belongsTo(agent: string): () => Failure {
  const message = `This session belongs to ${agent}. Coppice only cuts back what ${agent} keeps; change it with ${agent}.`;
  return () => new Failure('usage', message, { hint: 'See what Coppice can do with it: coppice sessions --help' });
}
