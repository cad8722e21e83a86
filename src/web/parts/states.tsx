import type { ComponentChildren } from 'preact';
import { formatCount } from '../../core/format.ts';
import type { ApiFailure } from '../api/api-failure.ts';
import type { Asked } from '../api/use-answer.ts';

interface WhenReadyProps<T> {
  readonly asked: Asked<T>;
  readonly again: () => void;
  /** What is looked at meanwhile. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** What is shown of an answer: that it is on its way, why it did not come, or itself. */
export function WhenReady<T>({ asked, again, what, children }: WhenReadyProps<T>) {
  if (asked.state === 'loading') return <Loading what={what} done={asked.done} />;
  if (asked.state === 'failed') return <Failed failure={asked.failure} again={again} />;
  return <>{children(asked.value)}</>;
}

export function Loading({ what, done }: { readonly what: string; readonly done?: number | undefined }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> Looking at {what}…
      {done !== undefined && done > 0 && ` ${formatCount(done)} so far`}
    </p>
  );
}

export function Failed({ failure, again }: { readonly failure: ApiFailure; readonly again?: () => void }) {
  return (
    <div class="state failed" role="alert">
      <p>{failure.message}</p>
      {failure.hint !== undefined && <p class="quiet">{failure.hint}</p>}
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="state">{children}</div>;
}
