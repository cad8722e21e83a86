/** Each item as something else, as it comes. */
export async function* mapped<From, To>(
  items: AsyncIterable<From>,
  read: (item: From) => To | Promise<To>,
): AsyncGenerator<To> {
  for await (const item of items) yield await read(item);
}
