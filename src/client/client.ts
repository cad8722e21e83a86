import { type Body, type CallApi, createCall, type Query, type Sent } from './api.ts';
import type { MessageDocument } from './documents.ts';
import { type FollowEvents, followEvents } from './follow-events.ts';
import { allPages, pages } from './pages.ts';
import { type ClientOptions, Transport } from './transport.ts';

/**
 * A client for a daemon that `coppice serve` runs. Calls are tried again when nobody answers, or when the daemon asks to wait. What
 * changes something bears a key by which the daemon knows the call again, so that it is done once.
 *
 * @example
 * using client = createClient({ url: 'http://127.0.0.1:7717', token });
 * const { session } = await client.routes.resolve({ key: 'telegram:42', source: 'telegram' });
 * await client.sessions.append(session.id, [{ role: 'user', content: 'hello' }]);
 */
export function createClient(options: ClientOptions) {
  const transport = new Transport(options);
  const call = createCall(transport);
  return {
    /** Any operation of the API, by its method and path; what it takes and gives is as its description says. */
    call,
    sessions: sessionCalls(call),
    routes: routeCalls(call),
    plans: planCalls(call),
    runs: runCalls(call),
    ledger: ledgerCalls(call),
    checkpoints: checkpointCalls(call, transport),
    cron: cronCalls(call),
    /** Who changed what, newest first; page by page, at most `limit`. */
    audit: ({ limit, ...query }: Sent<Query<'GET /api/audit'>> & { readonly limit?: number | undefined } = {}) =>
      pages(call, 'GET /api/audit', { name: 'records', query, next: 'cursor', limit }),
    /** What live sessions have used. */
    usage: async (by: NonNullable<Query<'GET /api/usage'>['by']> = 'day') => ({
      by,
      spending: await allPages(call, 'GET /api/usage', { name: 'spending', query: { by }, next: 'after' }),
    }),
    /** What all calls of models took that were ever seen, added up. */
    usageTotals: (query: Sent<Query<'GET /api/usage/totals'>> = {}) => call('GET /api/usage/totals', { query }),
    /** What happens, as it happens; it finds its way back after a lost connection. */
    events: (follow: FollowEvents) => followEvents(transport, follow),
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}

export type Client = ReturnType<typeof createClient>;

function sessionCalls(call: CallApi) {
  return {
    /** All of them, page by page; at most `limit`. */
    list: ({ limit, ...query }: Sent<Query<'GET /api/sessions'>> & { readonly limit?: number | undefined } = {}) =>
      pages(call, 'GET /api/sessions', { name: 'sessions', query, next: 'cursor', limit }),
    /** By the id, or whatever else a person calls it. */
    get: (id: string) => call('GET /api/sessions/{id}', { id }),
    create: (body: Sent<Body<'POST /api/sessions'>>) => call('POST /api/sessions', { body }),
    change: (id: string, body: Sent<Body<'PATCH /api/sessions/{id}'>>) =>
      call('PATCH /api/sessions/{id}', { id, body }),
    end: (id: string, reason: string) => call('POST /api/sessions/{id}/end', { id, body: { reason } }),
    resume: (id: string) => call('POST /api/sessions/{id}/resume', { id }),
    recordUsage: (id: string, body: Sent<Body<'POST /api/sessions/{id}/usage'>>) =>
      call('POST /api/sessions/{id}/usage', { id, body }),
    /** Asks before a step, and says what happened since the last one. */
    step: (id: string, body: Sent<Body<'POST /api/sessions/{id}/steps'>> = {}) =>
      call('POST /api/sessions/{id}/steps', { id, body }),
    /** Adds messages in order, all or none; on disk when it resolves. */
    append: (
      id: string,
      messages: Sent<Body<'POST /api/sessions/{id}/messages'>>['messages'],
      options: { readonly expectedSeq?: number } = {},
    ) => call('POST /api/sessions/{id}/messages', { id, body: { messages, expectedSeq: options.expectedSeq } }),
    /** Removes it into the trash; the answer names the run, and until when it can be undone. */
    remove: (id: string) => call('DELETE /api/sessions/{id}', { id }),
    messages: (
      id: string,
      query: { readonly from?: number; readonly to?: number; readonly last?: number; readonly rewound?: boolean } = {},
    ): AsyncGenerator<MessageDocument> =>
      pages(call, 'GET /api/sessions/{id}/messages', { name: 'messages', id, query, next: 'from' }),
    /** The files that it keeps on the machine of the daemon. */
    files: (id: string) => allPages(call, 'GET /api/sessions/{id}/files', { name: 'files', id, next: 'after' }),
    search: async (
      q: string,
      query: { readonly source?: string; readonly since?: string; readonly limit?: number } = {},
    ) => (await call('GET /api/search', { query: { q, ...query } })).sessions,
  };
}

function routeCalls(call: CallApi) {
  return {
    /** Every key, or those of one source. */
    list: (query: { readonly source?: string | undefined } = {}) =>
      pages(call, 'GET /api/routes', { name: 'routes', query, next: 'after' }),
    /** The session that answers a key: the one of before, taken up again, or a new one where the rules say so. */
    resolve: (body: Sent<Body<'POST /api/routes/resolve'>>) => call('POST /api/routes/resolve', { body }),
    reset: (key: string, reason?: string) => call('POST /api/routes/reset', { body: { key, reason } }),
  };
}

function planCalls(call: CallApi) {
  return {
    /** Says what would be done, by the rules or by a request, and keeps that for a day. */
    make: (request?: Sent<Body<'POST /api/plans'>>['request']) => call('POST /api/plans', { body: { request } }),
    get: (id: string) => call('GET /api/plans/{id}', { id }),
    apply: (id: string) => call('POST /api/plans/{id}/apply', { id }),
  };
}

function runCalls(call: CallApi) {
  return {
    list: () => pages(call, 'GET /api/runs', { name: 'runs', next: 'after' }),
    items: (id: string) => pages(call, 'GET /api/runs/{id}', { name: 'items', id, next: 'after' }),
    /** Gives back what a run removed: all of it, or the items with these ids. */
    undo: (id: string, ids?: readonly string[]) => call('POST /api/runs/{id}/undo', { id, body: { ids } }),
  };
}

function ledgerCalls(call: CallApi) {
  return {
    /** What removed sessions had used, page by page; at most `limit`. */
    list: ({ limit, ...query }: Sent<Query<'GET /api/ledger'>> & { readonly limit?: number | undefined } = {}) =>
      pages(call, 'GET /api/ledger', { name: 'entries', query, next: 'below', limit }),
    /** The same added up. */
    totals: (query: Sent<Query<'GET /api/ledger/totals'>> = {}) => call('GET /api/ledger/totals', { query }),
  };
}

function checkpointCalls(call: CallApi, transport: Transport) {
  return {
    list: (workdir?: string) =>
      allPages(call, 'GET /api/checkpoints', { name: 'checkpoints', query: { workdir }, next: 'after' }),
    /** Saves the state of a folder on the machine of the daemon. */
    take: (body: Sent<Body<'POST /api/checkpoints'>>) => call('POST /api/checkpoints', { body }),
    get: (id: string) => call('GET /api/checkpoints/{id}', { id }),
    pin: (id: string, pinned: boolean) => call('PATCH /api/checkpoints/{id}', { id, body: { pinned } }),
    diff: (id: string, to?: string) => call('GET /api/checkpoints/{id}/diff', { id, query: { to } }),
    /** What changed as text, in pieces. */
    async *diffText(id: string, query: Sent<Query<'GET /api/checkpoints/{id}/diff'>> = {}, signal?: AbortSignal) {
      const path = `/api/checkpoints/${encodeURIComponent(id)}/diff/text`;
      const response = await transport.stream({ method: 'GET', path, query, signal });
      yield* response.setEncoding('utf8') as AsyncIterable<string>;
    },
    restore: (id: string, body: Sent<Body<'POST /api/checkpoints/{id}/restore'>> = {}) =>
      call('POST /api/checkpoints/{id}/restore', { id, body }),
  };
}

function cronCalls(call: CallApi) {
  return {
    list: () => allPages(call, 'GET /api/cron', { name: 'jobs', next: 'after' }),
    next: async (name: string, count?: number) =>
      (await call('GET /api/cron/{id}/next', { id: name, query: { count } })).times,
    /** Runs a job now; resolves when it has ended. */
    run: (name: string) => call('POST /api/cron/{id}/run', { id: name }),
  };
}
