import type { Transport } from './transport.ts';

export interface Paging {
  /** The plural under which a page has its items. */
  readonly name: string;
  /** What `next` of a page is called when the next one is asked for. */
  readonly next: string;
  readonly query?: object;
  /** No more than so many altogether. */
  readonly limit?: number | undefined;
}

const MOST_AT_ONCE = 1000;

/** Everything that a list holds, page by page, as it is asked for. */
export async function* pages<Item>(transport: Transport, path: string, paging: Paging): AsyncGenerator<Item> {
  let left = paging.limit ?? Number.POSITIVE_INFINITY;
  const query = { ...paging.query, ...(paging.limit !== undefined && { limit: Math.min(left, MOST_AT_ONCE) }) };
  let place: object = {};
  while (left > 0) {
    const page = await transport.json<Record<string, unknown>>({ method: 'GET', path, query: { ...query, ...place } });
    const items = page[paging.name] as readonly Item[];
    yield* items.slice(0, left);
    left -= items.length;
    if (page['next'] === undefined) return;
    // "The last so many" says where to begin, and the first page has begun there.
    place = { last: undefined, [paging.next]: page['next'] };
  }
}
