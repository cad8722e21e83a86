import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Answer } from '../../client/api.ts';
import { formatBytes, plural } from '../../core/format.ts';
import { asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import { Until } from '../parts/time.tsx';

export type Carried = Answer<'POST /api/plans/{id}/apply'>;

/** What was done last, with the way back; and how often anything was, for what shows the home. */
export const receipt = signal<Carried | undefined>(undefined);
export const changes = signal(0);

export function show(carried: Carried): void {
  receipt.value = carried;
  changes.value += 1;
}

/** What a run did, and Undo. */
export function Receipt() {
  const carried = receipt.value;
  if (carried === undefined) return null;
  return (
    <section class="receipt" aria-label="What was done" role="status">
      <ReceiptWords carried={carried} />
      <span class="buttons">
        {carried.run !== undefined && <UndoButton key={carried.run.id} id={carried.run.id} />}
        <button type="button" class="plain" aria-label="Close" onClick={() => (receipt.value = undefined)}>
          ✕
        </button>
      </span>
    </section>
  );
}

function ReceiptWords({ carried: { run, done, skipped, freedBytes, items } }: { readonly carried: Carried }) {
  if (run === undefined) return <p>There was nothing to do.</p>;
  const forGood = items.filter((item) => item.forGood === true && item.status === 'done').length;
  const why = items.find(({ status, detail }) => status === 'skipped' && detail !== undefined)?.detail;
  return (
    <p>
      {plural(done, 'item')} done, {formatBytes(freedBytes)} free at once.
      {skipped > 0 && ` ${plural(skipped, 'item')} skipped${why === undefined ? '' : `: ${why}`}.`}
      {forGood > 0 && <strong class="red"> {plural(forGood, 'item')} FOR GOOD.</strong>}
      {done > forGood && (
        <>
          {' '}
          Can be undone until <Until at={run.expiresAt} />.
        </>
      )}
    </p>
  );
}

export function UndoButton({ id }: { readonly id: string }) {
  const [said, setSaid] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const undo = async () => {
    setBusy(true);
    try {
      const { done, skipped } = await call('POST /api/runs/{id}/undo', { id, body: {} });
      setSaid(`${plural(done, 'item')} given back.${skipped > 0 ? ` ${plural(skipped, 'item')} skipped.` : ''}`);
      changes.value += 1;
    } catch (error) {
      setSaid(asFailure(error).message);
    }
    setBusy(false);
  };
  if (said !== undefined) return <strong role="status">{said}</strong>;
  return (
    <button type="button" disabled={busy} onClick={() => void undo()}>
      {busy ? 'Giving back…' : 'Undo'}
    </button>
  );
}
