import type { Answer } from '../../client/api.ts';
import { formatBytes, formatCount, plural } from '../../core/format.ts';
import { ACTION_WORDS, STATE_WORDS } from '../../core/retention/words.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Link } from '../parts/link.tsx';
import { Empty, WhenReady } from '../parts/states.tsx';
import { Time, Until } from '../parts/time.tsx';
import { go, place } from '../place.ts';
import { changes, UndoButton } from '../plan/receipt.tsx';

type Run = Answer<'GET /api/runs'>['runs'][number];
const PAGE = 50;

/** What was removed or taken back, newest first, and the way back. */
export function RunsPage() {
  const { id, after } = place.value.query;
  if (id !== undefined) return <OneRun id={id} key={id} />;
  return <AllRuns after={after} />;
}

function AllRuns({ after }: { readonly after: string | undefined }) {
  const { asked, again } = useAnswer('GET /api/runs', {
    query: { limit: PAGE, ...(after !== undefined && { after }) },
  });
  return (
    <>
      <h1>Runs</h1>
      <WhenReady asked={asked} again={again} what="runs">
        {({ runs, total, next }) => (
          <div key={changes.value}>
            {runs.length === 0 ? (
              <Empty>Nothing was removed yet. What you remove stands here, with the way back.</Empty>
            ) : (
              <RunTable runs={runs} />
            )}
            <p class="quiet">
              {total !== undefined && plural(total, 'run')}
              {next !== undefined && (
                <button type="button" onClick={() => go('/runs', { after: next })}>
                  Older ones
                </button>
              )}
            </p>
          </div>
        )}
      </WhenReady>
    </>
  );
}

function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What was asked for</th>
          <th scope="col">What became of it</th>
          <th scope="col">Undo until</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ id, startedAt, request, totals, expiresAt }) => (
          <tr key={id}>
            <td>
              <Link to="/runs" query={{ id }}>
                <Time at={startedAt} />
              </Link>
            </td>
            <td>{request.kind === 'policy' ? 'by the rules' : request.kind.replaceAll('-', ' ')}</td>
            <td>{totalsWords(totals)}</td>
            <td>{Date.parse(expiresAt) > Date.now() ? <Until at={expiresAt} /> : 'over'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function totalsWords(totals: Run['totals']): string {
  const parts = Object.entries(totals).map(([state, { items, sizeBytes }]) => {
    return `${formatCount(items)} ${stateWords(state)} (${formatBytes(sizeBytes)})`;
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function stateWords(state: string): string {
  return (STATE_WORDS as Readonly<Record<string, string>>)[state] ?? state;
}

function OneRun({ id }: { readonly id: string }) {
  const { after = '0' } = place.value.query;
  const { asked, again } = useAnswer('GET /api/runs/{id}', { id, query: { limit: 200, after: Number(after) } });
  return (
    <>
      <p>
        <Link to="/runs">All runs</Link>
      </p>
      <h1>Run</h1>
      <WhenReady asked={asked} again={again} what="the run">
        {({ startedAt, expiresAt, items, total = 0, next }) => (
          <div key={changes.value}>
            <p>
              <Time at={startedAt} />, {plural(total, 'item')}. {Date.parse(expiresAt) > Date.now() ? 'Can' : 'Could'}{' '}
              be undone until <Until at={expiresAt} />. <UndoButton id={id} />
            </p>
            <table class="list">
              <thead>
                <tr>
                  <th scope="col">Item</th>
                  <th scope="col">What</th>
                  <th scope="col">Now</th>
                  <th scope="col">Size</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ number, id: itemId, title, action, state, sizeBytes, forGood, detail }) => (
                  <tr key={number}>
                    <td class="name">{title ?? itemId}</td>
                    <td>{(ACTION_WORDS as Readonly<Record<string, string>>)[action] ?? action}</td>
                    <td>
                      {stateWords(state)}
                      {forGood === true && <strong class="red"> FOR GOOD</strong>}
                      {detail !== undefined && <span class="quiet"> {detail}</span>}
                    </td>
                    <td class="amount">{formatBytes(sizeBytes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {next !== undefined && (
              <button type="button" onClick={() => go('/runs', { id, after: String(next) })}>
                The next ones
              </button>
            )}
          </div>
        )}
      </WhenReady>
    </>
  );
}
