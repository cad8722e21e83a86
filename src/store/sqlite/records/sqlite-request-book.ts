import type { RequestBook } from '../../../core/gateway/once.ts';
import type { WriteQueue } from '../writing/write-queue.ts';
import type { RequestRows } from '../database/request-rows.ts';

/** Requests that bore a key, beside the sessions that they changed. */
export function createRequestBook(rows: RequestRows, queue: WriteQueue): RequestBook {
  return {
    find: async (key) => rows.find(key),
    begin: (once) => queue.run(() => rows.put(once, 'begun', '')),
    answer: (once, result) => queue.run(() => rows.put(once, 'answered', result)),
    forget: (key) => queue.run(() => rows.remove(key)),
    async dropBefore(at) {
      // A look first: an idle home writes nothing.
      while (rows.isOlder(at)) await queue.run(() => rows.dropBefore(at));
    },
  };
}
