import type { UpdatePlace } from './update-index.ts';
import { dropIndex, dropIndexLock } from './work-index.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { projectIdOf } from '../store/store-layout.ts';

export interface ScratchPlace extends UpdatePlace {
  readonly indexFile: string;
}

/**
 * An index of its own beside the project's, for as long as it is used. The caller holds the project's lock, so one name is
 * enough, and whatever is there before was left by a process that was killed.
 */
export async function withScratch<T>(
  { layout }: Pick<CheckpointStore, 'layout'>,
  workdir: string,
  use: (place: ScratchPlace) => Promise<T>,
): Promise<T> {
  const indexFile = `${layout.index(projectIdOf(workdir))}.scratch`;
  const remove = () => {
    dropIndex(indexFile);
    dropIndexLock(indexFile);
  };
  remove();
  try {
    return await use({ gitDir: layout.gitDir, workTree: workdir, indexFile });
  } finally {
    remove();
  }
}
