import type { Answer, CallApi, Given, Operation, Query, Sent } from './api.ts';

export interface Paging<O extends Operation, Name extends keyof Answer<O>> {
  /** The plural under which a page has its items. */
  readonly name: Name;
  /** What `next` of a page is called when the next one is asked for. */
  readonly next: keyof Query<O>;
  readonly id?: string;
  readonly query?: Sent<Query<O>> | undefined;
  /** No more than so many altogether. */
  readonly limit?: number | undefined;
}

const MOST_AT_ONCE = 1000;

/** Everything that a list holds, page by page, as it is asked for. */
export async function* pages<O extends Operation, Name extends keyof Answer<O>>(
  call: CallApi,
  operation: O,
  paging: Paging<O, Name>,
): AsyncGenerator<ItemOf<Answer<O>[Name]>> {
  let left = paging.limit ?? Number.POSITIVE_INFINITY;
  const query = {
    ...(paging.query as object | undefined),
    ...(paging.limit !== undefined && { limit: Math.min(left, MOST_AT_ONCE) }),
  };
  let place: object = {};
  while (left > 0) {
    const asked = { id: paging.id, query: { total: false, ...query, ...place } };
    const page = await call(operation, asked as unknown as Given<O>);
    const items = page[paging.name] as readonly ItemOf<Answer<O>[Name]>[];
    yield* items.slice(0, left);
    left -= items.length;
    const next = 'next' in page ? page.next : undefined;
    if (next === undefined) return;
    // "The last so many" says where to begin, and the first page has begun there.
    place = { last: undefined, [paging.next]: next };
  }
}

/** The same, all of it. */
export async function allPages<O extends Operation, Name extends keyof Answer<O>>(
  ...given: Parameters<typeof pages<O, Name>>
): Promise<ItemOf<Answer<O>[Name]>[]> {
  const all: ItemOf<Answer<O>[Name]>[] = [];
  for await (const item of pages(...given)) all.push(item);
  return all;
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
