import type { Problem } from '../../core/problem.ts';
import type { ScanOptions } from '../../core/retention/home-driver.ts';
import {
  type Doubt,
  diskPartsSum,
  type Inventory,
  type SessionBytes,
  type SessionItem,
  type StrayItem,
} from '../../core/retention/inventory.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { sessionFingerprint } from '../../core/stores/session-trash.ts';
import type { Clock } from '../../core/time.ts';
import { scanArchive } from '../../keeping/archive/scan-archive.ts';
import { activeTest } from '../../keeping/liveness/active-sessions.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import { trashItems } from '../../keeping/trash-items.ts';
import { ownDiskBytes } from '../../platform/files/walk-tree.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { directoryOf, type FileSum, fileSums } from './file-sums.ts';
import { homeParts } from './home-size.ts';
import { type NativeFile, nativeFiles } from './native-files.ts';
import type { NativeLayout } from './native-layout.ts';
import { NATIVE_FACTS, sameTexts, sessionItem } from './session-item.ts';

export interface ScanParts {
  readonly layout: NativeLayout;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly activeGraceMs: number;
}

/** Reads a native home into an inventory: one pass over the sessions, one walk over the files. */
export async function scanNative(
  parts: ScanParts,
  { signal, onProgress, onFile }: ScanOptions = {},
): Promise<Inventory> {
  const { store, layout, clock } = parts;
  const now = clock.now();
  const files = collectFiles(layout, (file) => {
    signal?.throwIfAborted();
    if ('sizeBytes' in file) onFile?.(file);
  });
  const isActive = await activeTest(store, { clock, graceMs: parts.activeGraceMs });
  const named = await store.routes.named();
  const same = sameTexts();
  const sessions: SessionItem[] = [];
  let rowBytes = 0;
  for await (const session of store.list({ sort: 'stored' })) {
    signal?.throwIfAborted();
    rowBytes += session.contentBytes;
    const bytes = files.claim(layout.sessionPath(session.id), session.contentBytes);
    const fingerprint = sessionFingerprint(session);
    const facts = { active: isActive(session), named: named.has(session.id), bytes, fingerprint, same };
    sessions.push(sessionItem(session, facts));
    onProgress?.(sessions.length);
  }
  const rest = files.unclaimed();
  const archive = await scanArchive(store, layout);
  const hidden = await store.trash.hiddenBytes();
  const size = homeParts(
    layout,
    {
      rowBytes,
      hiddenRowBytes: [...hidden.values()].reduce((sum, bytes) => sum + bytes, 0),
      sessionFiles: files.diskBytes - rest.diskBytes - rest.otherDiskBytes,
      strays: rest.diskBytes + sumOf(archive.debris),
      other: rest.otherDiskBytes,
      archive: archive.diskBytes,
    },
    () => signal?.throwIfAborted(),
  );
  const doubts: Doubt[] = (await judgeClock(store, clock)) === 'suspect' ? ['clock-suspect'] : [];
  return {
    home: { id: (await store.getMeta('home-id')) ?? '', path: layout.root },
    scannedAt: now,
    knows: NATIVE_FACTS,
    sessions,
    strays: [...rest.strays, ...archive.debris],
    trash: await trashItems(parts, hidden),
    archives: archive.archives,
    checkpoints: [],
    checkpointBytes: 0,
    problems: [...rest.problems, ...archive.problems],
    disk: { usedBytes: diskPartsSum(size), freeBytes: freeBytes(layout.root), parts: size },
    doubts,
  };
}

/** The files below `sessions/`, summed by session directory; what no session claims is a stray, if all of it can be read and is ours. */
function collectFiles(layout: NativeLayout, onEntry: (file: NativeFile) => void) {
  const sums = fileSums();
  const debris: StrayItem[] = [];
  const problems: Problem[] = [];
  const unread = new Set<string>();
  let diskBytes = ownDiskBytes(layout.sessions);
  for (const file of nativeFiles(layout)) {
    onEntry(file);
    if (file.kind === 'unreadable') {
      problems.push(unreadable(file));
      unread.add(directoryOf(file.path));
    } else {
      diskBytes += file.diskBytes;
      if (file.kind === 'temporary') debris.push(debrisItem(file));
      // What is above the directories of sessions is shared by them.
      else if (file.kind !== 'folder' || file.path.includes('/')) sums.add(file);
    }
  }
  return {
    diskBytes,
    claim(directory: string, rows: number): SessionBytes {
      const { transcript, dumps, other } = sums.take(directory);
      return { rows, transcript, dumps, other };
    },
    unclaimed() {
      const left = [...sums.directories()].map((path) => {
        const sum = sums.take(path);
        return {
          item: orphanItem(path, sum),
          unknown: sum.unknown,
          ours: sum.unknown === undefined && !unread.has(path),
        };
      });
      const strays = [...debris, ...left.filter(({ ours }) => ours).map(({ item }) => item)];
      return {
        strays,
        problems: [...problems, ...left.flatMap(({ unknown }) => (unknown === undefined ? [] : [notOurs(unknown)]))],
        diskBytes: sumOf(strays),
        otherDiskBytes: sumOf(left.filter(({ ours }) => !ours).map(({ item }) => item)),
      };
    },
  };
}

/** Its fingerprint is of what it holds: what that takes on the disk may change by itself. */
function orphanItem(path: string, { transcript, dumps, other, contentBytes, newestAt }: FileSum): StrayItem {
  const id = `sessions/${path}`;
  const fingerprint = `${newestAt}:${contentBytes}`;
  return { kind: 'orphan', id, lastActiveAt: newestAt, sizeBytes: transcript + dumps + other, fingerprint };
}

function debrisItem({ path, modifiedAt, sizeBytes, diskBytes }: Extract<NativeFile, { sizeBytes: number }>): StrayItem {
  const fingerprint = `${modifiedAt}:${sizeBytes}`;
  return { kind: 'debris', id: `sessions/${path}`, lastActiveAt: modifiedAt, sizeBytes: diskBytes, fingerprint };
}

function sumOf(strays: readonly StrayItem[]): number {
  return strays.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function unreadable({ path, error }: { path: string; error: string }): Problem {
  return { kind: 'unreadable', subject: `sessions/${path}`, message: `sessions/${path} cannot be read: ${error}.` };
}

function notOurs(path: string): Problem {
  const message = `sessions/${path} is not a file that Coppice writes. It is left alone.`;
  return { kind: 'unknown-file', subject: `sessions/${path}`, message };
}
