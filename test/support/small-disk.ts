import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp-dir.ts';

/** Whether file systems can be mounted here. To be root is not enough: most containers forbid it. */
export const CAN_MOUNT = canMount();

/** An empty file system of its own with room for `size`, such as `3m`, until the test is over. */
export function smallDisk(size: string): string {
  const path = tempDir();
  onTestFinished(mountDisk(path, size));
  return path;
}

/** Lays an empty file system over a folder, which is made where there is none. Returns what takes it away again. */
export function mountDisk(path: string, size: string): () => void {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  return () => void execFileSync('umount', ['-l', path]);
}

function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'coppice-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', path], { stdio: 'ignore' }).status === 0;
  if (mounted) execFileSync('umount', [path]);
  rmdirSync(path);
  return mounted;
}
