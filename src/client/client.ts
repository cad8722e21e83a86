import type * as documents from './documents.ts';
import { followEvents } from './follow-events.ts';
import { pages } from './pages.ts';
import { type ClientOptions, Transport } from './transport.ts';

/**
 * A client for a daemon that `coppice serve` runs. Calls that only read are tried again when nobody answers; the others are not,
 * because nobody can know whether the first one arrived.
 *
 * @example
 * using client = createClient({ url: 'http://127.0.0.1:7717', token });
 * const { session } = await client.routes.resolve({ key: 'telegram:42', source: 'telegram' });
 * await client.sessions.append(session.id, [{ role: 'user', content: 'hello' }]);
 */
export function createClient(options: ClientOptions) {
  const transport = new Transport(options);
  return {
    sessions: sessionCalls(transport),
    routes: routeCalls(transport),
    plans: planCalls(transport),
    runs: runCalls(transport),
    archive: archiveCalls(transport),
    checkpoints: checkpointCalls(transport),
    cron: cronCalls(transport),
    /** What the home is set to. */
    home: () => transport.json<documents.HomeDocument>({ method: 'GET', path: '/api/home' }),
    /** What live sessions have used. */
    usage: (by: documents.SpendListDocument['by'] = 'day') =>
      transport.json<documents.SpendListDocument>({ method: 'GET', path: '/api/usage', query: { by } }),
    /** What happens, as it happens; it finds its way back after a lost connection. */
    events: (follow: { readonly after?: string; readonly signal: AbortSignal }) => followEvents(transport, follow),
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}

export type Client = ReturnType<typeof createClient>;

function sessionCalls(transport: Transport) {
  return {
    /** All of them, page by page; at most `limit`. */
    list: ({ limit, ...query }: documents.SessionListQuery = {}) =>
      pages<documents.SessionDocument>(transport, '/api/sessions', { name: 'sessions', query, next: 'cursor', limit }),
    /** By the id, or the first characters of it. */
    get: (id: string) => transport.json<documents.SessionDetailDocument>({ method: 'GET', path: at('sessions', id) }),
    create: (body: documents.NewSessionDocument) =>
      transport.json<documents.SessionDocument>({ method: 'POST', path: '/api/sessions', body }),
    change: (id: string, body: documents.SessionChangeDocument) =>
      transport.json<documents.SessionDocument>({ method: 'PATCH', path: at('sessions', id), body }),
    end: (id: string, reason: string) =>
      transport.json<documents.SessionDocument>({
        method: 'POST',
        path: `${at('sessions', id)}/end`,
        body: { reason },
      }),
    resume: (id: string) =>
      transport.json<documents.SessionDocument>({ method: 'POST', path: `${at('sessions', id)}/resume` }),
    recordUsage: (id: string, body: documents.UsageReportDocument) =>
      transport.json<Pick<documents.SessionDetailDocument, 'usageByModel'>>({
        method: 'POST',
        path: `${at('sessions', id)}/usage`,
        body,
      }),
    /** Adds messages in order, all or none; on disk when it resolves. */
    append: (id: string, messages: readonly documents.NewMessageDocument[]) =>
      transport.json<documents.ReceiptDocument>({
        method: 'POST',
        path: `${at('sessions', id)}/messages`,
        body: { messages },
      }),
    messages: (id: string, query: { from?: number; to?: number; last?: number; rewound?: boolean } = {}) =>
      pages<documents.MessageDocument>(transport, `${at('sessions', id)}/messages`, {
        name: 'messages',
        query,
        next: 'from',
      }),
    search: async (q: string, query: { source?: string; limit?: number } = {}) => {
      const path = '/api/search';
      return (
        await transport.json<{ sessions: documents.HitDocument[] }>({ method: 'GET', path, query: { q, ...query } })
      ).sessions;
    },
  };
}

function routeCalls(transport: Transport) {
  return {
    list: () => pages<documents.RouteDocument>(transport, '/api/routes', { name: 'routes', next: 'after' }),
    /** The session that answers a key: the one of before, taken up again, or a new one where the rules say so. */
    resolve: (body: documents.ResolveDocument) =>
      transport.json<documents.ResolvedDocument>({ method: 'POST', path: '/api/routes/resolve', body }),
    reset: (key: string, reason?: string) =>
      transport.json<documents.ResetDocument>({ method: 'POST', path: '/api/routes/reset', body: { key, reason } }),
  };
}

function planCalls(transport: Transport) {
  return {
    /** Says what would be done, by the rules or by a request, and keeps that for a day. */
    make: (request?: documents.PlanDocument['request']) =>
      transport.json<documents.PlanDocument>({ method: 'POST', path: '/api/plans', body: { request } }),
    get: (id: string) => transport.json<documents.PlanDocument>({ method: 'GET', path: at('plans', id) }),
    apply: (id: string) =>
      transport.json<documents.CarriedDocument>({ method: 'POST', path: `${at('plans', id)}/apply` }),
  };
}

function runCalls(transport: Transport) {
  return {
    list: () => pages<documents.RunDocument>(transport, '/api/runs', { name: 'runs', next: 'after' }),
    items: (id: string) =>
      pages<documents.RunDetailDocument['items'][number]>(transport, at('runs', id), { name: 'items', next: 'after' }),
    /** Gives back what a run removed: all of it, or the items with these ids. */
    undo: (id: string, ids?: readonly string[]) =>
      transport.json<documents.CarriedDocument>({ method: 'POST', path: `${at('runs', id)}/undo`, body: { ids } }),
  };
}

function archiveCalls(transport: Transport) {
  return {
    list: () => pages<documents.SessionDocument>(transport, '/api/archive', { name: 'sessions', next: 'cursor' }),
    restore: (ids: readonly string[]) =>
      transport.json<documents.RestoredDocument>({ method: 'POST', path: '/api/archive/restore', body: { ids } }),
  };
}

function checkpointCalls(transport: Transport) {
  const path = '/api/checkpoints';
  return {
    list: async (workdir?: string) =>
      (
        await transport.json<{ checkpoints: documents.CheckpointDocument[] }>({
          method: 'GET',
          path,
          query: { workdir },
        })
      ).checkpoints,
    /** Saves the state of a folder on the machine of the daemon. */
    take: (body: documents.TakeDocument) => transport.json<documents.TakenDocument>({ method: 'POST', path, body }),
    get: (id: string) =>
      transport.json<documents.CheckpointDetailDocument>({ method: 'GET', path: at('checkpoints', id) }),
    pin: (id: string, pinned: boolean) =>
      transport.json<documents.CheckpointDocument>({ method: 'PATCH', path: at('checkpoints', id), body: { pinned } }),
    diff: (id: string, to?: string) =>
      transport.json<documents.DiffDocument>({ method: 'GET', path: `${at('checkpoints', id)}/diff`, query: { to } }),
    restore: (id: string, body: documents.RestoreDocument = {}) =>
      transport.json<documents.RestoreDoneDocument>({ method: 'POST', path: `${at('checkpoints', id)}/restore`, body }),
  };
}

function cronCalls(transport: Transport) {
  return {
    list: async () =>
      (await transport.json<{ jobs: documents.JobDocument[] }>({ method: 'GET', path: '/api/cron' })).jobs,
    next: async (name: string, count?: number) =>
      (await transport.json<{ times: string[] }>({ method: 'GET', path: `${at('cron', name)}/next`, query: { count } }))
        .times,
    /** Runs a job now; resolves when it has ended. */
    run: (name: string) =>
      transport.json<documents.JobRunDocument>({ method: 'POST', path: `${at('cron', name)}/run` }),
  };
}

/** Where one thing of a kind is. An id may hold any character. */
function at(kind: string, id: string): string {
  return `/api/${kind}/${encodeURIComponent(id)}`;
}
