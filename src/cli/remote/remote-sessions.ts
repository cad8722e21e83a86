import type { AppSession, AppSessions } from '../../app/app.ts';
import { followMessages } from '../../app/sessions/follow-messages.ts';
import type { SessionsQuery } from '../../app/sessions/list-query.ts';
import type { SessionPage, SessionPageQuery } from '../../app/sessions/session-pages.ts';
import { exportSessions } from '../../app/transfer/export/export-sessions.ts';
import { importFromHome } from '../../app/transfer/import-from-home.ts';
import { importSessions } from '../../app/transfer/import-sessions.ts';
import type { ImportInto } from '../../app/transfer/import-target.ts';
import type { Client } from '../../client/client.ts';
import { Failure } from '../../core/failure.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { MessageRange } from '../../core/stores/session-reader.ts';
import { type Clock, isoTime, SECOND_MS } from '../../core/time.ts';
import { mapped } from '../mapped.ts';
import { readHit, readMessage, readSession } from './read-documents.ts';

/** The sessions of a home behind a daemon. Files of exports and imports are on this side. */
export function remoteSessions(client: Client, clock: Clock): AppSessions {
  const { call } = client;
  const get = (id: string) => exactly(client, id).then(factsOf, undefinedIfMissing);
  const messages = (id: string, range: MessageRange = {}): AsyncGenerator<Message> =>
    mapped(client.sessions.messages(id, range), readMessage);
  const usageByModel = async (id: string) => (await exactly(client, id)).usageByModel;
  const store = { get, messages, usageByModel, imports: remoteImports(client) };
  return {
    list: (query) => mapped(client.sessions.list(asked(query)), readSession),
    page: (query) => remotePage(client, query),
    shortIds: (ids) => remoteShortIds(client, ids),
    find: async (id) => factsOf(await client.sessions.get(id)),
    get,
    search: async ({ text, since, ...query }) => {
      const asOf = since === undefined ? {} : { since: isoTime(since) };
      return (await client.sessions.search(text, { ...query, ...asOf })).map(readHit);
    },
    archivedPrompts: async (id) => (await call('GET /api/archive/{id}/prompts', { id })).prompts,
    stats: ({ signal, onProgress } = {}) =>
      call('GET /api/stats', { signal, onStep: ({ done }) => onProgress?.(done) }),
    endCrashed: async (reason) => (await call('POST /api/end-crashed', { body: { reason } })).sessions,
    export: (request) => exportSessions(store, request),
    import: (request) => importSessions(store, request),
    importFrom: (path, options) => importFromHome({ store, clock }, path, options),
    open: async (id) => remoteSession(client, id, { messages, usageByModel }),
  };
}

/** A query as the API takes it. */
function asked({ since, before, sort, filter, ...query }: SessionsQuery = {}) {
  return {
    ...filter,
    ...query,
    ...(since !== undefined && { since: isoTime(since) }),
    ...(before !== undefined && { before: isoTime(before) }),
    ...(sort !== undefined && sort !== 'stored' && { sort }),
  };
}

/** What the API gives in one answer. */
const MOST_AT_ONCE = 1000;

/** A page may be longer than what comes in one answer. */
async function remotePage({ call }: Client, { limit = 100, ...given }: SessionPageQuery = {}): Promise<SessionPage> {
  const { cursor, total: isCounted, ...rest } = given;
  const sessions: SessionFacts[] = [];
  let about: Pick<SessionPage, 'total'> = {};
  let next = cursor;
  do {
    const isFirst = sessions.length === 0;
    const place = { limit: Math.min(limit - sessions.length, MOST_AT_ONCE), total: isFirst && isCounted !== false };
    const page = await call('GET /api/sessions', { query: { ...asked(rest), ...place, cursor: next } });
    for (const session of page.sessions) sessions.push(readSession(session));
    if (page.total !== undefined) about = { total: page.total };
    next = page.next;
  } while (next !== undefined && sessions.length < limit);
  return { sessions, ...about, ...(next !== undefined && { next }) };
}

/** So many bytes of ids fit into an address. */
const MOST_ID_BYTES = 4096;

async function remoteShortIds({ call }: Client, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const short = new Map<string, string>();
  for (let first = 0; first < ids.length; ) {
    let last = first;
    for (let bytes = 0; last < ids.length; last += 1) {
      bytes += 4 + encodeURIComponent(ids[last] ?? '').length;
      if (bytes > MOST_ID_BYTES && last > first) break;
    }
    const { shortIds } = await call('GET /api/short-ids', { query: { id: ids.slice(first, last) } });
    for (const { id, shortId } of shortIds) short.set(id, shortId);
    first = last;
  }
  return short;
}

interface Reading {
  readonly messages: (id: string, range?: MessageRange) => AsyncGenerator<Message>;
  readonly usageByModel: (id: string) => ReturnType<AppSession['usageByModel']>;
}

function remoteSession(client: Client, id: string, reading: Reading): AppSession {
  const change = async (body: Parameters<Client['sessions']['change']>[1]) =>
    readSession(await client.sessions.change(id, body));
  const messages = (range?: MessageRange) => reading.messages(id, range);
  const ended = async () => (await exactly(client, id)).endedAt !== undefined;
  return {
    messages,
    follow: (options) => followMessages({ messages, ended, pollMs: SECOND_MS }, options),
    usageByModel: () => reading.usageByModel(id),
    files: () => client.sessions.files(id),
    rename: (title) => change({ title }),
    tag: ({ add: addTags, remove: removeTags }) => change({ addTags, removeTags }),
    pin: () => change({ pinned: true }),
    unpin: () => change({ pinned: false }),
    end: async (reason) => readSession(await client.sessions.end(id, reason)),
  };
}

function remoteImports({ call }: Client): ImportInto['imports'] {
  return {
    begin: async (session) =>
      void (await call('POST /api/imports', { body: { id: session.id, ...importedFacts(session) } })),
    append: async (id, messages) => {
      const documents = messages.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) }));
      await call('POST /api/imports/{id}/messages', { id, body: { messages: documents } });
    },
    finish: async (session) =>
      void (await call('POST /api/imports/{id}/finish', { id: session.id, body: importedFacts(session) })),
    abandon: async (id) => void (await call('POST /api/imports/{id}/abandon', { id })),
  };
}

function importedFacts({ id: _, startedAt, lastActiveAt, endedAt, ...rest }: ImportedSession) {
  return {
    ...rest,
    startedAt: isoTime(startedAt),
    lastActiveAt: isoTime(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
  };
}

function exactly({ call }: Client, id: string) {
  return call('GET /api/sessions/{id}', { id, query: { exact: true } });
}

function factsOf({ usageByModel: _, ...session }: Awaited<ReturnType<typeof exactly>>): SessionFacts {
  return readSession(session);
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
}
