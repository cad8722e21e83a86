import { statSync } from 'node:fs';
import type { ScanOptions } from '../../core/home-driver.ts';
import type { Doubt, Inventory, SessionBytes, SessionItem, StrayItem, TrashItem } from '../../core/inventory.ts';
import type { Problem } from '../../core/problem.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { sessionFingerprint } from '../../core/session-trash.ts';
import type { Clock } from '../../core/time.ts';
import { freeBytes } from '../../platform/file-system-facts.ts';
import { activeQuery } from './active-sessions.ts';
import { judgeClock } from './clock-watch.ts';
import { type NativeFile, nativeFiles } from './native-files.ts';
import type { NativeLayout } from './native-layout.ts';
import { sessionItem } from './session-item.ts';

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
  const active = await activeIds(parts, now);
  const sessions: SessionItem[] = [];
  for await (const session of store.list({ sort: 'stored' })) {
    signal?.throwIfAborted();
    const bytes = { ...(files.claim(layout.sessionPath(session.id)) ?? NO_FILES), rows: session.contentBytes };
    const fingerprint = sessionFingerprint(session);
    sessions.push(sessionItem(session, { active: active.has(session.id), bytes, fingerprint }));
    onProgress?.(sessions.length);
  }
  const trash = await trashItems(parts);
  const rest = files.unclaimed();
  const doubts: Doubt[] = (await judgeClock(store, now)) === 'suspect' ? ['clock-suspect'] : [];
  return {
    home: { id: (await store.getMeta('home-id')) ?? '', path: layout.root },
    scannedAt: now,
    sessions,
    strays: rest.strays,
    trash,
    archives: [],
    problems: rest.problems,
    disk: { usedBytes: usedBytes(layout, sessions, trash) + rest.sizeBytes, freeBytes: freeBytes(layout.root) },
    doubts,
  };
}

async function activeIds({ store, activeGraceMs: graceMs }: ScanParts, now: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id } of store.list({ active: await activeQuery(store, { now, graceMs }) })) ids.add(id);
  return ids;
}

const NO_FILES: SessionBytes = { rows: 0, transcript: 0, dumps: 0, other: 0 };

interface FileSum {
  readonly bytes: SessionBytes;
  readonly newestAt: number;
  /** The first file in it that Coppice did not write. */
  readonly unknown?: string;
}

/** The files below `sessions/`, summed by session directory; what no session claims is a stray, if all of it is ours. */
function collectFiles(layout: NativeLayout, onEntry: () => void) {
  const byDirectory = new Map<string, FileSum>();
  const debris: StrayItem[] = [];
  const problems: Problem[] = [];
  for (const file of nativeFiles(layout)) {
    onEntry();
    if (file.kind === 'unreadable') problems.push(unreadable(file));
    else if (file.kind === 'temporary') debris.push(debrisItem(file));
    else addFile(byDirectory, file);
  }
  return {
    claim(directory: string): SessionBytes | undefined {
      const found = byDirectory.get(directory);
      byDirectory.delete(directory);
      return found?.bytes;
    },
    unclaimed() {
      const left = [...byDirectory].map(([path, sum]) => ({ item: orphanItem(path, sum), unknown: sum.unknown }));
      return {
        strays: [...debris, ...left.filter(({ unknown }) => unknown === undefined).map(({ item }) => item)],
        problems: [...problems, ...left.flatMap(({ unknown }) => (unknown === undefined ? [] : [notOurs(unknown)]))],
        sizeBytes: [...debris, ...left.map(({ item }) => item)].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      };
    },
  };
}

type SizedFile = Exclude<NativeFile, { kind: 'unreadable' }>;

function addFile(byDirectory: Map<string, FileSum>, file: SizedFile): void {
  const directory = file.path.split('/', 2).join('/');
  const { bytes, newestAt, unknown } = byDirectory.get(directory) ?? { bytes: NO_FILES, newestAt: 0 };
  const foreign = unknown ?? (file.kind === 'unknown' ? file.path : undefined);
  const sizeBytes = 'sizeBytes' in file ? file.sizeBytes : 0;
  const part = file.kind === 'transcript' ? 'transcript' : file.kind === 'dump' ? 'dumps' : 'other';
  byDirectory.set(directory, {
    bytes: { ...bytes, [part]: bytes[part] + sizeBytes },
    newestAt: Math.max(newestAt, file.modifiedAt),
    ...(foreign !== undefined && { unknown: foreign }),
  });
}

function orphanItem(path: string, { bytes, newestAt }: FileSum): StrayItem {
  const sizeBytes = bytes.transcript + bytes.dumps + bytes.other;
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
async function trashItems({ store }: ScanParts): Promise<TrashItem[]> {
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

function usedBytes(layout: NativeLayout, sessions: readonly SessionItem[], trash: readonly TrashItem[]): number {
  const files = sessions.reduce((sum, { bytes }) => sum + bytes.transcript + bytes.dumps + bytes.other, 0);
  const inTrash = trash.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const database = ['', '-wal'].reduce((sum, suffix) => {
    return sum + (statSync(layout.database + suffix, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
  return files + inTrash + database;
}
