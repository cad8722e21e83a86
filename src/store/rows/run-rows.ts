import type { RemoveReason } from '../../core/retention/plan.ts';
import type { Run, RunAction, RunItem, RunItemRef, RunItemState, RunRequest } from '../../core/retention/run.ts';

/** One row of `runs`, as every database returns it. */
export interface RunRow {
  readonly id: string;
  readonly request: string;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly expires_at: number;
}

/** One row of `run_items`, with the title of its session where that is known. */
export interface ItemRow {
  readonly number: number;
  readonly kind: RunItemRef['kind'];
  readonly item_id: string;
  readonly action: RunAction;
  readonly reason: RemoveReason;
  readonly fingerprint: string;
  readonly size_bytes: number;
  readonly skips_trash: number;
  readonly state: RunItemState;
  readonly detail: string | null;
  readonly title: string | null;
}

export function runOf(row: RunRow): Run {
  return {
    id: row.id,
    request: JSON.parse(row.request) as RunRequest,
    startedAt: row.started_at,
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    expiresAt: row.expires_at,
  };
}

export function itemOf(row: ItemRow): RunItem {
  return {
    number: row.number,
    item: { kind: row.kind, id: row.item_id },
    action: row.action,
    reason: row.reason,
    fingerprint: row.fingerprint,
    sizeBytes: row.size_bytes,
    skipsTrash: row.skips_trash === 1,
    state: row.state,
    ...(row.detail !== null && { detail: row.detail }),
    ...(row.title !== null && { title: row.title }),
  };
}
