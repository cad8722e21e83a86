import type { IndexOptions } from '../../../app/search/search-options.ts';
import type { Io } from '../../io.ts';
import { startProgress } from '../../print/progress.ts';

/** Reads transcripts into the search index with its progress on stderr, in megabytes of them. */
export async function withIndexProgress<T>(io: Io, work: (options: IndexOptions) => Promise<T>): Promise<T> {
  using progress = startProgress(io, { label: 'Reading what is new (MB)' });
  return await work({
    signal: io.signal,
    onProgress: (doneBytes, ofBytes) =>
      progress.update({
        done: Math.floor(doneBytes / MB),
        total: Math.max(1, Math.ceil(ofBytes / MB)),
        bytes: doneBytes,
      }),
  });
}

const MB = 1_000_000;
