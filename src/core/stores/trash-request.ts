import type { RunItem } from '../retention/run.ts';
import type { TrashRequest } from './session-trash.ts';

/** An item of a run as a store needs it. */
export function trashRequest({ number, item, fingerprint }: RunItem): TrashRequest {
  return { number, id: item.id, fingerprint };
}
