/** A group has at most so many items, and so many bytes unless a single item has more: whoever says stop does not wait long. */
const MOST_ITEMS = 500;
const MOST_BYTES = 64 * 1024 * 1024;

/** Items in their order, in groups that are carried out together. */
export function groupsOf<Item extends { readonly sizeBytes: number }>(
  items: readonly Item[],
): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  let sizeBytes = 0;
  for (const item of items) {
    sizeBytes += item.sizeBytes;
    const last = groups.at(-1);
    if (last !== undefined && last.length < MOST_ITEMS && sizeBytes <= MOST_BYTES) last.push(item);
    else {
      groups.push([item]);
      sizeBytes = item.sizeBytes;
    }
  }
  return groups;
}
