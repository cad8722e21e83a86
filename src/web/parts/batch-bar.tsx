import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../core/format.ts';
import { type ApiFailure, asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import { type Place, place } from '../place.ts';
import { PlanDialog } from '../plan/plan-dialog.tsx';
import { changes, show } from '../plan/receipt.tsx';
import { filterOf } from './session-list.ts';
import { TagDialog } from './tag-dialog.tsx';

interface BatchProps {
  readonly ids: readonly string[];
  /** How many the filter finds in all; undefined where that is not known. */
  readonly total: number | undefined;
  readonly onNone: () => void;
}

type Asking = 'delete' | 'prune' | 'archive' | 'tag' | undefined;

/** What can be done with the sessions that were chosen, or with all that the filter finds. */
export function BatchBar({ ids, total, onNone }: BatchProps) {
  const [asking, setAsking] = useState<Asking>();
  const { said, failure, each } = useEach();
  const { query } = place.value;
  const isArchive = query['archived'] === 'true';
  const close = () => setAsking(undefined);
  const done = () => {
    close();
    onNone();
  };
  const pin = (pinned: boolean) => each(ids, (id) => call('PATCH /api/sessions/{id}', { id, body: { pinned } }));
  return (
    <div class="batch" role="toolbar" aria-label="With the sessions">
      <strong aria-live="polite">
        {said ?? (ids.length === 0 ? countWords(total) : `${formatCount(ids.length)} chosen`)}
      </strong>
      {failure !== undefined && <span class="red">{failure.message}</span>}
      {ids.length > 0 && !isArchive && (
        <>
          <button type="button" onClick={() => void pin(true)}>
            Pin
          </button>
          <button type="button" onClick={() => void pin(false)}>
            Unpin
          </button>
          <button type="button" onClick={() => setAsking('tag')}>
            Tag…
          </button>
          <button type="button" onClick={() => setAsking('delete')}>
            Delete…
          </button>
        </>
      )}
      {ids.length > 0 && isArchive && <RestoreButton ids={ids} onDone={done} />}
      {ids.length > 0 && (
        <button type="button" class="plain" onClick={onNone}>
          Choose none
        </button>
      )}
      {ids.length === 0 && total !== undefined && total > 0 && !isArchive && (
        <>
          <button type="button" onClick={() => setAsking('archive')}>
            Archive all {formatCount(total)}…
          </button>
          <button type="button" onClick={() => setAsking('prune')}>
            Delete all {formatCount(total)}…
          </button>
        </>
      )}
      {asking === 'tag' && <TagDialog ids={ids} onClose={close} onDone={done} />}
      {asking !== undefined && asking !== 'tag' && (
        <PlanDialog title={TITLES[asking]} request={requestFor(asking, ids, query)} onClose={close} onDone={done} />
      )}
    </div>
  );
}

const TITLES = { delete: 'Delete what you chose', prune: 'Delete all of these', archive: 'Archive all of these' };

function requestFor(asking: 'delete' | 'prune' | 'archive', ids: readonly string[], query: Place['query']) {
  if (asking === 'delete') return { kind: 'delete' as const, ids };
  const filter = filterOf(query);
  return asking === 'prune'
    ? { kind: 'prune' as const, filter, part: 'all' as const }
    : { kind: 'archive' as const, filter };
}

function countWords(total: number | undefined): string {
  return total === undefined ? '' : plural(total, 'session');
}

/** Does something with each, one after the other, and says how far it came. */
function useEach() {
  const [said, setSaid] = useState<string | undefined>();
  const [failure, setFailure] = useState<ApiFailure | undefined>();
  const each = async (ids: readonly string[], act: (id: string) => Promise<unknown>) => {
    setFailure(undefined);
    for (const [done, id] of ids.entries()) {
      setSaid(`${formatCount(done + 1)} of ${formatCount(ids.length)}`);
      await act(id).catch((error: unknown) => setFailure(asFailure(error)));
    }
    setSaid(undefined);
    changes.value += 1;
  };
  return { said, failure, each };
}

function RestoreButton({ ids, onDone }: { readonly ids: readonly string[]; readonly onDone: () => void }) {
  const [failure, setFailure] = useState<string | undefined>();
  const restore = async () => {
    try {
      const restored = await call('POST /api/archive/restore', { body: { ids } });
      show({ ...restored, freedBytes: 0, interrupted: false });
      onDone();
    } catch (error) {
      setFailure(asFailure(error).message);
    }
  };
  return (
    <button type="button" title={failure} onClick={() => void restore()}>
      {failure ?? 'Bring back'}
    </button>
  );
}
