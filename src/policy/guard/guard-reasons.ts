import type { SessionItem } from '../../core/retention/inventory.ts';
import type { GuardReason, Removal } from '../../core/retention/plan.ts';
import type { EpochMs } from '../../core/time.ts';

/** What the guard puts off. */
export interface PutOff {
  readonly reasonOf: Map<Removal, GuardReason['kind']>;
  /** The limits that are exceeded. */
  readonly tooMany: readonly { readonly of: 'sessions' | 'items'; readonly count: number; readonly limit: number }[];
  /** One session of each group of which nothing would be left. */
  readonly emptied: readonly SessionItem[];
}

/** Why things wait, as people are told. */
export function waitingReasons({ reasonOf, tooMany, emptied }: PutOff, heldSince: EpochMs | undefined): GuardReason[] {
  if (heldSince !== undefined) return [{ kind: 'held', since: heldSince }];
  const counts = new Map<GuardReason['kind'], number>();
  for (const kind of reasonOf.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const counted = (['first-run', 'stricter-policy', 'trash-size'] as const).flatMap((kind) => {
    const count = counts.get(kind);
    return count === undefined ? [] : [{ kind, count }];
  });
  return [
    ...counted,
    ...(counts.has('too-many') ? tooMany : []).map((one) => ({ kind: 'too-many', ...one }) as const),
    ...(counts.has('empties-group') ? emptied : []).map(
      ({ source, workdir }) => ({ kind: 'empties-group', source, ...(workdir !== undefined && { workdir }) }) as const,
    ),
  ];
}
