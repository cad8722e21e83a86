import { join } from 'node:path';
import type { StoreOptions } from '../../checkpoints/store/open-store.ts';
import { createSharedLock } from '../../store/sqlite/sqlite-shared-lock.ts';
import type { HomeParts } from '../home-parts.ts';

const MEGABYTE = 1024 * 1024;

/** How the checkpoint store of a home is opened. */
export function checkpointStoreOptions({ layout, config, clock }: HomeParts): StoreOptions {
  const { max_file_size_mb: megabytes, max_files: maxFiles, exclude } = config.checkpoints;
  return {
    root: join(layout.root, 'checkpoints'),
    limits: { homeRoot: layout.root, maxFileBytes: Math.floor(megabytes * MEGABYTE), maxFiles, exclude },
    clock,
    createLock: createSharedLock,
  };
}
