import { existsSync } from 'node:fs';
import type { Problem } from '../../core/problem.ts';
import type { ArchiveItem, StrayItem } from '../../core/retention/inventory.ts';
import type { ArchivedSession } from '../../core/stores/session-archive.ts';
import type { SessionRecords } from '../../core/stores/session-records.ts';
import { type FoundEntry, ownDiskBytes, walkTree } from '../../platform/files/walk-tree.ts';
import { isTemporaryName } from '../../platform/leftovers/temporary-name.ts';
import type { OwnLayout } from '../own-layout.ts';
import { bytesHere, isBundleName } from './shelf/bundle-names.ts';

export interface ArchiveScan {
  readonly archives: readonly ArchiveItem[];
  /** Bundles that no session refers to, and what interrupted writes left. */
  readonly debris: readonly StrayItem[];
  readonly problems: readonly Problem[];
  /** What the archive takes on the disk without debris, members in the trash included: they are in the bundles still. */
  readonly diskBytes: number;
}

/** Reads the archive: what sessions refer to, and the files that are there. */
export async function scanArchive(store: Pick<SessionRecords, 'archive'>, layout: OwnLayout): Promise<ArchiveScan> {
  const bundles = await store.archive.bundles();
  // What is in an object store is looked at by who checks the home: a scan must not wait for a server.
  const missing = new Set(bundles.map(({ name }) => name).filter(isBundleName));
  const debris: StrayItem[] = [];
  const problems: Problem[] = [];
  let diskBytes = ownDiskBytes(layout.archive);
  for (const entry of existsSync(layout.archive) ? walkTree(layout.archive) : []) {
    const known = missing.delete(entry.path);
    if (!known && entry.kind === 'file' && (isBundleName(entry.path) || isTemporaryName(entry.path))) {
      debris.push(debrisItem(entry));
      continue;
    }
    if (entry.kind !== 'unreadable') diskBytes += entry.diskBytes;
    if (!known) problems.push(notOurs(entry.path));
  }
  problems.push(...[...missing].map(bundleMissing));
  const archives: ArchiveItem[] = [];
  for await (const archived of store.archive.list()) archives.push(archiveItem(archived));
  return { archives, debris, problems, diskBytes };
}

function archiveItem({ session, member }: ArchivedSession): ArchiveItem {
  const { id, source, lastActiveAt, archivedAt = lastActiveAt, pinned, tags } = session;
  const { sha256: fingerprint } = member;
  const sizeBytes = bytesHere(member);
  return { kind: 'archive', id, source, archivedAt, lastActiveAt, pinned, tags, sizeBytes, fingerprint };
}

function debrisItem({ path, modifiedAt, sizeBytes, diskBytes }: FoundEntry): StrayItem {
  const fingerprint = `${modifiedAt}:${sizeBytes}`;
  return { kind: 'debris', id: `archive/${path}`, lastActiveAt: modifiedAt, sizeBytes: diskBytes, fingerprint };
}

function notOurs(path: string): Problem {
  const message = `archive/${path} is not a file that Coppice writes. It is left alone.`;
  return { kind: 'unknown-file', subject: `archive/${path}`, message };
}

function bundleMissing(name: string): Problem {
  return {
    kind: 'archive-missing',
    subject: `archive/${name}`,
    message: `archive/${name} is missing, so the sessions in it cannot be restored.`,
    hint: 'Bring it back from a backup.',
  };
}
