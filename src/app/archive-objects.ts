import type { ObjectStore } from '../core/objects/object-store.ts';
import type { ArchiveObjects } from '../keeping/archive/shelf/object-place.ts';
import type { Config } from './config/config-schema.ts';

const FILE = 'file:';

/** Where the archived sessions of a home go by its settings; undefined where they stay in the home. Nothing is opened before it is needed. */
export function archiveObjects({ url, cache_mb: cacheMb }: Config['archive']): ArchiveObjects | undefined {
  if (url === 'none') return undefined;
  let opened: Promise<ObjectStore> | undefined;
  return {
    cacheBytes: cacheMb * 1024 * 1024,
    open: () => (opened ??= openObjects(url)),
  };
}

async function openObjects(url: string): Promise<ObjectStore> {
  const { createFileObjects } = await import('../objects/file/file-objects.ts');
  return createFileObjects(url.slice(FILE.length));
}
