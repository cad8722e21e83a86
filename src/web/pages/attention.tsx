import type { Answer } from '../../client/api.ts';
import { formatTokens, formatUsd } from '../../core/format.ts';
import type { PagePath } from '../../core/page-paths.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Link } from '../parts/link.tsx';
import { SizeBars } from '../parts/size-bars.tsx';
import { WhenReady } from '../parts/states.tsx';
import { Time, Until } from '../parts/time.tsx';
import { changes } from '../plan/receipt.tsx';

type Status = Answer<'GET /api/status'>;
type Kind = Status['attention'][number]['kind'];

/** The page to begin with: what needs a person, and beside it how the home stands. */
export function AttentionPage() {
  const { asked, again } = useAnswer('GET /api/status', {});
  return (
    <>
      <h1>Attention</h1>
      <WhenReady asked={asked} again={again} what="the home">
        {(status) => (
          <div class="columns" key={changes.value}>
            <section aria-labelledby="needs">
              <h2 id="needs">{status.attention.length === 0 ? 'All is well' : 'What needs you'}</h2>
              {status.attention.length === 0 ? <AllIsWell status={status} /> : <Needs status={status} />}
              <Budgets />
            </section>
            <aside aria-label="How the home stands">
              <SizeBars status={status} />
              <InUse />
              <Spent />
            </aside>
          </div>
        )}
      </WhenReady>
    </>
  );
}

function AllIsWell({ status: { lastRun, nextMaintenanceAt } }: { readonly status: Status }) {
  return (
    <p>
      Nothing needs you.{' '}
      {lastRun === undefined ? (
        'Nothing was removed yet.'
      ) : (
        <>
          The last run was <Time at={lastRun.startedAt} />.
        </>
      )}{' '}
      {nextMaintenanceAt !== undefined && (
        <>
          Next maintenance: <Until at={nextMaintenanceAt} />.
        </>
      )}
    </p>
  );
}

/** Where on the page something can be done about it; what is not named here is done in a terminal. */
const PLACES: Partial<Record<Kind, readonly [PagePath, Readonly<Record<string, string>>, string]>> = {
  'disk-short': ['/storage', {}, 'See what can go'],
  'out-of-reach': ['/storage', {}, 'See what can go'],
  'nearly-full': ['/storage', {}, 'See what can go'],
  'can-go': ['/storage', {}, 'See what can go'],
  waiting: ['/storage', {}, 'See which'],
  oversized: ['/sessions', { sort: 'size' }, 'See the largest'],
};

const URGENT: ReadonlySet<Kind> = new Set(['disk-short', 'out-of-reach', 'damaged']);

function Needs({ status: { attention } }: { readonly status: Status }) {
  return (
    <ul class="needs">
      {attention.map(({ kind, says, command }) => {
        const [to, query, words] = PLACES[kind] ?? [];
        return (
          <li key={says} class={URGENT.has(kind) ? 'urgent' : undefined}>
            <p>{says}</p>
            {to === undefined ? (
              <code>{command}</code>
            ) : (
              <Link to={to} class="button" {...(query && { query })}>
                {words}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const NEARLY_SPENT = 0.8;

/** Budgets that are nearly spent. */
function Budgets() {
  const { asked } = useAnswer('GET /api/budget', { query: {} });
  if (asked.state !== 'ready') return null;
  const near = asked.value.budgets.filter(({ used, limit }) => used >= limit * NEARLY_SPENT);
  if (near.length === 0) return null;
  return (
    <ul class="needs">
      {near.map(({ scope, key, of, used, limit }) => (
        <li key={`${scope}${key}${of}`} class={used >= limit ? 'urgent' : undefined}>
          <p>
            {scope === 'day' ? 'All sessions today' : `${key} today`}: {Math.round((used / limit) * 100)} % of the
            budget of {of} are used.
          </p>
          <code>coppice budget</code>
        </li>
      ))}
    </ul>
  );
}

function InUse() {
  const { asked } = useAnswer('GET /api/sessions', { query: { active: true, limit: 5 } });
  if (asked.state !== 'ready') return null;
  const { sessions, total = 0 } = asked.value;
  return (
    <section>
      <h2>In use</h2>
      {total === 0 ? (
        <p class="quiet">No session is in use.</p>
      ) : (
        <ul class="short">
          {sessions.map(({ id, title, source, lastActiveAt }) => (
            <li key={id}>
              <Link to="/session" query={{ id }}>
                {title ?? id}
              </Link>{' '}
              <span class="quiet">
                {source}, <Time at={lastActiveAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const SPENT_DAYS = 7;

function Spent() {
  const { asked } = useAnswer('GET /api/usage/totals', { query: { by: 'day', homes: 'this' } });
  if (asked.state !== 'ready') return null;
  const days = asked.value.totals.slice(0, SPENT_DAYS);
  if (days.length === 0) return null;
  return (
    <section>
      <h2>Spent</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.key}>
              <th scope="row">{day.key}</th>
              <td>{formatTokens(tokensOf(day.usage))}</td>
              <td>{formatUsd(day.usage.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function tokensOf({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Answer<'GET /api/sessions/{id}'>['usage']) {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
