import { bytesSource, type ObjectStore, type PutResult } from './object-store.ts';

/**
 * What a store makes of "only where nothing has this key yet": it holds to it, passes over it without a word, or refuses to store. Only with
 * the first of two who publish under one key at once is one told; with the others whoever publishes looks first, which is nearly as good
 * for objects that are named by their content.
 */
export type ConditionalPut = 'honoured' | 'ignored' | 'refused';

/** Tries it with an object of its own, which is gone afterwards. The key must be nobody else's. */
export async function probeObjects(store: ObjectStore, key: string): Promise<ConditionalPut> {
  const put = () => store.put(key, bytesSource(Buffer.from('probe')), { onlyNew: true });
  try {
    const first = await put();
    return first === 'refused' ? 'refused' : meaningOf(await put());
  } finally {
    await store.remove(key);
  }
}

function meaningOf(second: PutResult): ConditionalPut {
  if (second === 'there-already') return 'honoured';
  return second === 'stored' ? 'ignored' : 'refused';
}
