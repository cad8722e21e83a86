import type { Outcome, Run, RunItem } from '../../core/run.ts';
import { isoTime } from '../../core/time.ts';
import { requestDocument } from './plan-document.ts';

/** A run as programs see it. */
export function runDocument({ id, request, startedAt, finishedAt, expiresAt }: Run) {
  return {
    id,
    request: requestDocument(request),
    startedAt: isoTime(startedAt),
    ...(finishedAt !== undefined && { finishedAt: isoTime(finishedAt) }),
    expiresAt: isoTime(expiresAt),
  };
}

/** What a run did, or meant to do, to one item. */
export function runItemDocument({ number, item, action, reason, sizeBytes, state, detail }: RunItem) {
  return { number, ...item, action, reason, sizeBytes, state, ...(detail !== undefined && { detail }) };
}

/** What became of one item just now. */
export function outcomeDocument({ item, action, status, detail, sizeBytes }: Outcome) {
  return { ...item, action, status, ...(detail !== undefined && { detail }), sizeBytes };
}
