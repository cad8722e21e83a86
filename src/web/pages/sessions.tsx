import { useEffect, useState } from 'preact/hooks';
import { BatchBar } from '../parts/batch-bar.tsx';
import { useKeys } from '../parts/keys.ts';
import { changes } from '../parts/receipt.tsx';
import { SessionFilters } from '../parts/session-filters.tsx';
import { useSessionList } from '../parts/session-list.ts';
import { SessionTable } from '../parts/session-table.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { go, place } from '../place.ts';

/** All sessions, narrowed down by what the address says. */
export function SessionsPage() {
  const { query } = place.value;
  const { rows, total, busy, failure, more } = useSessionList(query, changes.value);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(-1);
  useEffect(() => {
    setChosen(new Set());
    setAt(-1);
  }, [JSON.stringify(query)]);
  const onChoose = (id: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((other) => other !== id)));
  const row = rows[at];
  useKeys({
    j: () => setAt(Math.min(at + 1, rows.length - 1)),
    k: () => setAt(Math.max(at - 1, 0)),
    x: () => row && onChoose(row.id, !chosen.has(row.id)),
    Enter: () => row && go('/session', { id: row.id, ...(row.message && { at: String(row.message.seq) }) }),
    Escape: () => setChosen(new Set()),
  });
  const isNarrowed = Object.keys(query).some((name) => name !== 'sort');
  return (
    <div class="sessions">
      <h1>Sessions</h1>
      <SessionFilters />
      <BatchBar
        ids={[...chosen]}
        total={query['q'] === undefined ? total : undefined}
        onNone={() => setChosen(new Set())}
      />
      {failure !== undefined && <Failed failure={failure} />}
      {rows.length > 0 ? (
        <SessionTable rows={rows} total={total} chosen={chosen} at={at} onChoose={onChoose} onEnd={more} />
      ) : (
        <Nothing busy={busy} isNarrowed={isNarrowed} isFailed={failure !== undefined} />
      )}
    </div>
  );
}

interface NothingProps {
  readonly busy: boolean;
  readonly isNarrowed: boolean;
  readonly isFailed: boolean;
}

function Nothing({ busy, isNarrowed, isFailed }: NothingProps) {
  if (isFailed) return null;
  if (busy) return <Loading what="sessions" />;
  if (isNarrowed) {
    return (
      <Empty>
        <p>No session is like that.</p>
        <button type="button" onClick={() => go('/sessions')}>
          Show all
        </button>
      </Empty>
    );
  }
  return (
    <Empty>
      <p>There are no sessions yet. Bring some in with:</p>
      <code>coppice sessions import FOLDER</code>
    </Empty>
  );
}
