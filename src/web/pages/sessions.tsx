import { useEffect, useRef, useState } from 'preact/hooks';
import { BatchBar } from '../parts/batch-bar.tsx';
import { useKeys } from '../parts/keys.ts';
import { SessionFilters } from '../parts/session-filters.tsx';
import { type Row, useSessionList } from '../parts/session-list.ts';
import { SessionTable } from '../parts/session-table.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { go, place } from '../place.ts';
import { changes } from '../plan/receipt.tsx';

/** All sessions, narrowed down by what the address says. */
export function SessionsPage() {
  const { query } = place.value;
  const { rows, total, busy, failure, more } = useSessionList(query, changes.value);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(-1);
  // Keys come faster than what is drawn after them.
  const now = useRef(-1);
  const move = (to: number) => {
    now.current = to;
    setAt(to);
  };
  useEffect(() => {
    setChosen(new Set());
    move(-1);
  }, [JSON.stringify(query)]);
  const onChoose = (id: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((other) => other !== id)));
  const toggle = (id: string | undefined) => {
    if (id !== undefined) setChosen((before) => toggled(before, id));
  };
  useKeys({
    j: () => move(Math.min(now.current + 1, rows.length - 1)),
    k: () => move(Math.max(now.current - 1, 0)),
    x: () => toggle(rows[now.current]?.id),
    Enter: () => openRow(rows[now.current]),
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

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return chosen.has(id) ? new Set([...chosen].filter((other) => other !== id)) : new Set([...chosen, id]);
}

function openRow(row: Row | undefined): void {
  if (row !== undefined) go('/session', { id: row.id, ...(row.message && { at: String(row.message.seq) }) });
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
