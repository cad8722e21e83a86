import type { Connection } from '../database/connection.ts';
import { onTightDisk } from '../database/tight-disk.ts';
import type { SearchIndexer } from './search-index.ts';

/** After so long without a write, what was put off is made up for. */
const IDLE_MS = 20;
/** Between two portions, so that whoever comes does not wait for more than one. */
const PAUSE_MS = 2;
/** After so long it is tried again, where that could not be done. */
const RETRY_MS = 1000;

/**
 * Makes up for what was put off in the search index, a portion at a time, while nobody writes. To be called whenever the last write
 * is done. It never keeps a process alive: what is left then is made up for by the next one.
 */
export function indexWhenIdle(connection: Connection, indexer: SearchIndexer, isWriting: () => boolean): () => void {
  let idle: NodeJS.Timeout | undefined;
  const rest = (idleMs: number) => {
    clearTimeout(idle);
    if (indexer.owedBytes > 0) idle = setTimeout(makeUp, idleMs).unref();
  };
  const makeUp = () => {
    if (isWriting() || !connection.raw.open) return;
    if (onTightDisk(connection)) return rest(RETRY_MS);
    try {
      // If a power cut takes it back, it is done again.
      connection.transactLoosely(() => indexer.makeUp());
      rest(PAUSE_MS);
    } catch {
      // Others are writing, or the disk is full. Whoever searches hears of it.
      rest(RETRY_MS);
    }
  };
  return () => rest(IDLE_MS);
}
