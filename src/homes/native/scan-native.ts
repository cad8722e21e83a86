import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ScanOptions } from '../../core/home-driver.ts';
import type { Doubt, Inventory, SessionBytes, SessionItem, StrayItem, TrashItem } from '../../core/inventory.ts';
import type { Problem } from '../../core/problem.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { sessionFingerprint } from '../../core/session-trash.ts';
import type { Clock } from '../../core/time.ts';
import { freeBytes } from '../../platform/file-system-facts.ts';
import { walkTree } from '../../platform/walk-tree.ts';
import { activeTest } from './active-sessions.ts';
import { judgeClock } from './clock-watch.ts';
import { type FileSum, fileSums, type SizedFile } from './file-sums.ts';
import { nativeFiles } from './native-files.ts';
import type { NativeLayout } from './native-layout.ts';
import { scanArchive } from './scan-archive.ts';
import { sameTexts, sessionItem } from './session-item.ts';

export interface ScanParts {
  readonly layout: NativeLayout;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly activeGraceMs: number;
}

/** Reads a native home into an inventory: one pass over the sessions, one walk over the files. */
export async function scanNative(parts: ScanParts, { signal, onProgress }: ScanOptions = {}): Promise<Inventory> {
  const { store, layout, clock } = parts;
  const now = clock.now();
  const files = collectFiles(layout, () => signal?.throwIfAborted());
  const isActive = await activeTest(store, { now, graceMs: parts.activeGraceMs });
  const same = sameTexts();
  const sessions: SessionItem[] = [];
  for await (const session of store.list({ sort: 'stored' })) {
    signal?.throwIfAborted();
    const bytes = files.claim(layout.sessionPath(session.id), session.contentBytes);
    const fingerprint = sessionFingerprint(session);
    sessions.push(sessionItem(session, { active: isActive(session), bytes, fingerprint, same }));
    onProgress?.(sessions.length);
  }
  const trash = await trashItems(parts);
  const rest = files.unclaimed();
  const archive = await scanArchive(store, layout);
  const doubts: Doubt[] = (await judgeClock(store, now)) === 'suspect' ? ['clock-suspect'] : [];
  return {
    home: { id: (await store.getMeta('home-id')) ?? '', path: layout.root },
    scannedAt: now,
    sessions,
    strays: [...rest.strays, ...archive.debris],
    trash,
    archives: archive.archives,
    checkpoints: [],
    checkpointBytes: 0,
    problems: [...rest.problems, ...archive.problems],
    disk: {
      usedBytes: usedBytes(layout, sessions) + rest.sizeBytes + archive.sizeBytes,
      freeBytes: freeBytes(layout.root),
    },
    doubts,
  };
}

/** The files below `sessions/`, summed by session directory; what no session claims is a stray, if all of it is ours. */
function collectFiles(layout: NativeLayout, onEntry: () => void) {
  const sums = fileSums();
  const debris: StrayItem[] = [];
  const problems: Problem[] = [];
  for (const file of nativeFiles(layout)) {
    onEntry();
    if (file.kind === 'unreadable') problems.push(unreadable(file));
    else if (file.kind === 'temporary') debris.push(debrisItem(file));
    else sums.add(file);
  }
  return {
    claim(directory: string, rows: number): SessionBytes {
      const { transcript, dumps, other } = sums.take(directory);
      return { rows, transcript, dumps, other };
    },
    unclaimed() {
      const left = [...sums.directories()].map((path) => {
        const sum = sums.take(path);
        return { item: orphanItem(path, sum), unknown: sum.unknown };
      });
      return {
        strays: [...debris, ...left.filter(({ unknown }) => unknown === undefined).map(({ item }) => item)],
        problems: [...problems, ...left.flatMap(({ unknown }) => (unknown === undefined ? [] : [notOurs(unknown)]))],
        sizeBytes: [...debris, ...left.map(({ item }) => item)].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      };
    },
  };
}

function orphanItem(path: string, { transcript, dumps, other, newestAt }: FileSum): StrayItem {
  const sizeBytes = transcript + dumps + other;
  const id = `sessions/${path}`;
  return { kind: 'orphan', id, lastActiveAt: newestAt, sizeBytes, fingerprint: `${newestAt}:${sizeBytes}` };
}

function debrisItem(file: SizedFile & { sizeBytes?: number }): StrayItem {
  const sizeBytes = file.sizeBytes ?? 0;
  const fingerprint = `${file.modifiedAt}:${sizeBytes}`;
  return { kind: 'debris', id: `sessions/${file.path}`, lastActiveAt: file.modifiedAt, sizeBytes, fingerprint };
}

function unreadable({ path, error }: { path: string; error: string }): Problem {
  return { kind: 'unreadable', subject: `sessions/${path}`, message: `sessions/${path} cannot be read: ${error}.` };
}

function notOurs(path: string): Problem {
  const message = `sessions/${path} is not a file that Coppice writes. It is left alone.`;
  return { kind: 'unknown-file', subject: `sessions/${path}`, message };
}

/** What earlier runs removed and can still give back, one item a run. */
export async function trashItems({ store }: Pick<ScanParts, 'store'>): Promise<TrashItem[]> {
  const items: TrashItem[] = [];
  for await (const run of store.journal.runs()) {
    const { trashed } = await store.journal.totals(run.id);
    if (trashed === undefined) continue;
    const { id, startedAt: removedAt, expiresAt } = run;
    const { items: itemCount, sizeBytes } = trashed;
    items.push({
      kind: 'trash',
      id,
      removedAt,
      expiresAt,
      itemCount,
      sizeBytes,
      fingerprint: `${itemCount}:${sizeBytes}`,
    });
  }
  return items;
}

/** Of what is in the trash only the files count here: its rows are in the database still. */
function usedBytes(layout: NativeLayout, sessions: readonly SessionItem[]): number {
  const files = sessions.reduce((sum, { bytes }) => sum + bytes.transcript + bytes.dumps + bytes.other, 0);
  const trash = dirname(layout.trash('any'));
  let inTrash = 0;
  for (const entry of existsSync(trash) ? walkTree(trash) : []) if (entry.kind === 'file') inTrash += entry.sizeBytes;
  const database = ['', '-wal'].reduce((sum, suffix) => {
    return sum + (statSync(layout.database + suffix, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
  return files + inTrash + database;
}
