import { statSync } from 'node:fs';
import { join } from 'node:path';
import { freeDiskBytes } from '../app/free-disk.ts';
import { HOUR_MS } from '../core/time.ts';
import type { DaemonParts } from './daemon-parts.ts';

const MB = 1024 * 1024;
/** So much growth within an hour is worth a word. */
const WARN_GROWTH_BYTES = 512 * MB;

/** Looks at how the database grows and how much disk is left, and warns once for each trouble until it is over. */
export function createWatchdog({ home, clock, say }: DaemonParts): () => Promise<void> {
  let hour = { startedAt: clock.now(), sizeBytes: sizeOf(home.path) };
  const warned = new Set<string>();

  const judge = async (trouble: string, isThere: boolean, message: string) => {
    if (!isThere) warned.delete(trouble);
    if (!isThere || warned.has(trouble)) return;
    warned.add(trouble);
    say(message);
    await home.gateway.publish({ kind: 'warning', message });
  };

  return async () => {
    const now = clock.now();
    const sizeBytes = sizeOf(home.path);
    const grownBytes = sizeBytes - hour.sizeBytes;
    await judge(
      'growth',
      grownBytes > WARN_GROWTH_BYTES,
      `The home grew by ${mb(grownBytes)} MB within the hour. See: coppice watch`,
    );
    if (now - hour.startedAt >= HOUR_MS || now < hour.startedAt) hour = { startedAt: now, sizeBytes };
    const { min_free_mb: minFree } = home.config.disk;
    const freeBytes = freeDiskBytes(home.path);
    const short = minFree !== 'never' && freeBytes < minFree * MB;
    await judge('space', short, `Only ${mb(freeBytes)} MB are free on the disk. See what can go: coppice plan`);
  };
}

/** By `stat` alone: opening a database file would take its locks away. */
function sizeOf(path: string): number {
  return ['state.db', 'state.db-wal'].reduce((sum, name) => {
    return sum + (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

function mb(bytes: number): string {
  return String(Math.round(bytes / MB));
}
