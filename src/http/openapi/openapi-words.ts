import { FILTER_NAMES, SESSION_FILTERS } from '../../core/sessions/session-filters.ts';

/** What the resources are, for whoever reads the description. */
export const TAGS: Readonly<Record<string, string>> = {
  sessions: 'Sessions and their messages.',
  'short-ids': 'How ids are shown to people.',
  imports: 'Sessions brought in from elsewhere; nobody sees one until it is whole.',
  search: 'Finding sessions by their words.',
  usage: 'What live sessions have used, and what all agents ever did.',
  routes: 'Which session answers whom.',
  plans: 'What would go, and letting it go.',
  runs: 'What was removed, and the way back.',
  archive: 'Archived sessions.',
  ledger: 'What removed sessions had used.',
  checkpoints: 'Saved states of folders.',
  cron: 'Jobs that run by the clock.',
  maintain: 'Unattended passes over the home.',
  audit: 'Who changed what.',
  events: 'What happens, as it happens.',
  machine: 'How the daemon and its home stand.',
};

const FILTERS = FILTER_NAMES.map((name) => [name, sentence(SESSION_FILTERS[name].about)]);

/** What each parameter of a query asks for. They mean the same wherever they are taken. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FILTERS),
  source: 'Only of this source.',
  active: 'Only those that a living process uses, or that were used a moment ago.',
  archived: 'Archived ones instead of live ones.',
  since: 'Only those last used at this time or later.',
  before: 'Only those last used before this time.',
  sort: 'The order: `last` is most recent first, the others largest first.',
  limit: 'How many one answer holds at most.',
  total: 'Whether the answer says how many there are in all. `false` saves the counting.',
  cursor: '`next` of the page before.',
  exact: 'By the whole id alone, and by nothing else that a session is called.',
  id: 'The whole id of a session; may be given several times.',
  from: 'From the message with this number on.',
  to: 'Up to the message with this number.',
  last: 'Only so many, the newest.',
  rewound: 'Also messages that were taken back.',
  q: 'Words, "exact phrases" and -words to leave out.',
  by: 'What the sums are made for.',
  homes: 'Of all homes of this person, or of the one of the daemon.',
  after: '`next` of the page before.',
  forGood: 'Also what would skip the trash and cannot be given back.',
  below: '`next` of the page before.',
  who: 'Only what this token did, or this user by command.',
  workdir: 'Only of this folder.',
  path: 'Only of these files and folders.',
  count: 'How many to tell.',
  type: 'Only events of this kind; may be given several times.',
  session: 'Only events of the session with this id.',
};

/** The header that every request may bear which changes something. */
export const KEY_WORDS =
  'Any name for this very request, such as a new UUID. The same request under the same name within a day is carried out once, and answered as the first one was; the answer then bears `Idempotency-Replayed: true`.';

/** The header of a client that changes only what it has seen. */
export const MATCH_WORDS =
  'The `ETag` that GET of the same path gave. The change is refused with 412 when the document is another one by now.';

interface Example {
  readonly body?: object;
  readonly answer?: object;
}

const SESSION = {
  id: '019bc186-de00-76fb-889c-069d9473c33e',
  source: 'telegram',
  routeKey: 'telegram:42',
  startedAt: '2026-01-15T12:00:00.000Z',
  lastActiveAt: '2026-01-15T12:00:00.000Z',
  pinned: false,
  tags: [],
  messageCount: 0,
  toolCallCount: 0,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
  },
  contentBytes: 0,
  transcriptBytes: 0,
  dumpBytes: 0,
  sizeBytes: 0,
};

/** What a first client sends and gets, by method and path. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  'POST /api/sessions': {
    body: { source: 'telegram', title: 'About needles' },
    answer: { schemaVersion: 1, ...SESSION },
  },
  'GET /api/sessions': { answer: { schemaVersion: 1, sessions: [SESSION] } },
  'POST /api/sessions/{id}/messages': {
    body: { messages: [{ role: 'user', content: 'hello' }] },
    answer: { schemaVersion: 1, firstSeq: 1, lastSeq: 1, problems: [] },
  },
  'POST /api/sessions/{id}/usage': { body: { model: 'claude-sonnet-4-5', inputTokens: 1200, outputTokens: 80 } },
  'POST /api/sessions/{id}/steps': { body: { tools: [{ name: 'bash', ok: true }], workedMs: 5200 } },
  'POST /api/sessions/{id}/end': { body: { reason: 'done' } },
  'POST /api/routes/resolve': {
    body: { key: 'telegram:42', source: 'telegram' },
    answer: {
      schemaVersion: 1,
      key: 'telegram:42',
      resolution: { kind: 'created' },
      session: SESSION,
      budgets: [
        { scope: 'day', of: 'usd', limit: 20, used: 3.5, reserved: 0, left: 16.5, until: '2026-01-16T00:00:00.000Z' },
      ],
    },
  },
  'POST /api/plans': { body: { request: { kind: 'delete', ids: [SESSION.id] } } },
  'GET /healthz': { answer: { schemaVersion: 1, status: 'ok' } },
  'GET /readyz': {
    answer: { schemaVersion: 1, status: 'ok', checks: { home: true, store: true, chores: true } },
  },
};

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}
