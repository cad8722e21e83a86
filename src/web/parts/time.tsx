import { formatAge, formatTime } from '../../core/format.ts';

/** A moment as people say it, in the time of whoever looks, and the exact one for whoever points at it. */
export function Time({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return null;
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={formatTime(moment)}>
      {formatAge(moment, Date.now())}
    </time>
  );
}

/** The moment itself, for what is to come. */
export function Until({ at }: { readonly at: string }) {
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={at}>
      {formatTime(moment).slice(0, 16)}
    </time>
  );
}
