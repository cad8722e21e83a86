import type { AppSession, AppSessions } from '../../app/app.ts';
import { followMessages } from '../../app/sessions/follow-messages.ts';
import { exportSessions } from '../../app/transfer/export-sessions.ts';
import { importFromHome } from '../../app/transfer/import-from-home.ts';
import { importSessions } from '../../app/transfer/import-sessions.ts';
import type { ImportInto } from '../../app/transfer/import-target.ts';
import type { Client } from '../../client/client.ts';
import { Failure } from '../../core/failure.ts';
import type { ImportedSession } from '../../core/sessions/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { MessageRange } from '../../core/sessions/session-reader.ts';
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
    list: (given) => {
      const { since, before, sort, filter, ...query } = given ?? {};
      return mapped(
        client.sessions.list({
          ...filter,
          ...query,
          ...(since !== undefined && { since: isoTime(since) }),
          ...(before !== undefined && { before: isoTime(before) }),
          ...(sort !== undefined && sort !== 'stored' && { sort }),
        }),
        readSession,
      );
    },
    find: async (id) => factsOf(await client.sessions.get(id)),
    get,
    search: async ({ text, ...query }) => (await client.sessions.search(text, query)).map(readHit),
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
