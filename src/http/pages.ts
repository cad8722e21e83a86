/** Lists that are at hand as a whole go out in pages of this many, unless fewer are asked for. */
const PAGE = 1000;

export interface PageAsked {
  readonly limit?: number;
  /** How many came before. */
  readonly after?: number;
  readonly total?: boolean;
}

export interface Page<Item> {
  readonly shown: readonly Item[];
  /** What a document says of the page. */
  readonly about: { readonly total?: number; readonly next?: number };
}

/** One page of a list that is at hand. */
export function pageOf<Item>(all: readonly Item[], { limit = PAGE, after = 0, total = true }: PageAsked): Page<Item> {
  const end = after + limit;
  const about = { ...(total && { total: all.length }), ...(end < all.length && { next: end }) };
  return { shown: all.slice(after, end), about };
}

/** How long a whole list is, unless the client does without. */
export async function totalOf(wanted = true, count: () => Promise<number>): Promise<{ readonly total?: number }> {
  return wanted ? { total: await count() } : {};
}
