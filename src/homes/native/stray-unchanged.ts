import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { RunItem } from '../../core/retention/run.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { SessionRecords } from '../../core/stores/session-records.ts';
import { isBundleName } from '../../keeping/archive/shelf/bundle-names.ts';
import { sessionIdOf } from '../../platform/files/session-dir-name.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
import { isTemporaryName } from '../../platform/leftovers/temporary-name.ts';
import { fileKind } from './native-files.ts';
import type { NativeLayout } from './native-layout.ts';

export interface StrayParts {
  readonly layout: NativeLayout;
  readonly store: Pick<SessionReader, 'get' | 'list'> & Pick<SessionRecords, 'archive'>;
}

/**
 * Whether an orphan or debris is one that a scan gives, and still as the scan saw it: nobody's, same size, and nothing in it touched
 * since. A plan may have passed through a file, so its word is taken for nothing.
 */
export async function strayUnchanged(parts: StrayParts, run: RunItem): Promise<boolean> {
  const { item, fingerprint } = run;
  if (!(await isStray(parts, item))) return false;
  const path = join(parts.layout.root, item.id);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // Already in the trash: the step is being finished after a crash.
  if (stat === undefined) return true;
  if (stat.isDirectory() !== (item.kind === 'orphan')) return false;
  let sizeBytes = stat.isDirectory() ? 0 : stat.size;
  let newestAt = Math.floor(stat.mtimeMs);
  if (stat.isDirectory()) {
    for (const entry of walkTree(path)) {
      if (entry.kind === 'unreadable') return false;
      if (entry.kind !== 'dir') sizeBytes += entry.sizeBytes;
      if (entry.kind !== 'dir') newestAt = Math.max(newestAt, entry.modifiedAt);
    }
  }
  return fingerprint === `${newestAt}:${sizeBytes}`;
}

/** What may be a stray by its name and its kind. */
async function isStray({ layout, store }: StrayParts, { kind, id }: RunItem['item']): Promise<boolean> {
  const [folder = '', ...rest] = id.split('/');
  if (rest.length === 0 || rest.some((name) => ['', '.', '..'].includes(name))) return false;
  const [first = '', second = ''] = rest;
  if (kind === 'orphan') {
    // Beside the store and its lock are only repositories of older layouts.
    if (folder === 'checkpoints') return rest.length === 1 && first !== 'store' && !first.startsWith('lock.db');
    return folder === 'sessions' && rest.length === 2 && !(await isClaimed({ layout, store }, `${first}/${second}`));
  }
  if (folder === 'sessions') return fileKind(rest.join('/')) === 'temporary';
  if (folder !== 'archive' || rest.length !== 1) return false;
  const used = await store.archive.bundles();
  return isTemporaryName(first) || (isBundleName(first) && !used.some(({ name }) => name === first));
}

/** Whether a directory below `sessions/` is that of a session, one in the archive included. */
async function isClaimed({ layout, store }: StrayParts, path: string): Promise<boolean> {
  const id = sessionIdOf(path.slice(path.indexOf('/') + 1));
  if (id !== undefined) return (await store.get(id)) !== undefined && layout.sessionPath(id) === path;
  // The name of a long id does not say it.
  for await (const session of store.list({ sort: 'stored' })) if (layout.sessionPath(session.id) === path) return true;
  return false;
}
