import { readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WorkdirPlace } from '../core/checkpoint.ts';
import { errorCode } from '../platform/error-code.ts';
import type { FileId, ProjectRecord } from './project-book.ts';

/**
 * Where a working directory is, on positive evidence only. It is gone when the very directory that held it is still there,
 * without it and with something else: an empty or a different directory may be the place where a volume is not mounted now.
 */
export function locateWorkdir({ workdir, parent }: Pick<ProjectRecord, 'workdir' | 'parent'>): WorkdirPlace {
  try {
    if (statSync(workdir).isDirectory()) return 'present';
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') return 'unreachable';
  }
  try {
    const above = dirname(workdir);
    return sameFile(fileId(above), parent) && readdirSync(above).length > 0 ? 'gone' : 'unreachable';
  } catch {
    // Not there or not readable: no evidence.
    return 'unreachable';
  }
}

export function fileId(path: string): FileId {
  const { dev, ino } = statSync(path, { bigint: true });
  return { dev: String(dev), ino: String(ino) };
}

export function sameFile(a: FileId, b: FileId): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
