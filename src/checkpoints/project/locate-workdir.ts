import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WorkdirPlace } from '../../core/retention/checkpoint.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { FileId, ProjectRecord } from '../store/project-book.ts';

/** What is known of a working directory from when it was seen. */
export type KnownWorkdir = Pick<ProjectRecord, 'workdir' | 'parent'> & Partial<Pick<ProjectRecord, 'self'>>;

/**
 * Where a working directory is, on positive evidence only. It is gone when the very directory that held it is still there,
 * without it and with something else: an empty or a different directory may be the place where a volume is not mounted now.
 * One that was a volume itself is never gone: its mount point may be removed with it.
 */
export function locateWorkdir({ workdir, parent, self = parent }: KnownWorkdir): WorkdirPlace {
  const look = lookForWorkdir(workdir);
  if (look.place !== 'missing') return look.place;
  return sameFile(look.parent, parent) && self.dev === parent.dev ? 'gone' : 'unreachable';
}

/** What one look at the place of a working directory shows. `missing` is a folder that is there, holds others, and not this one. */
export type WorkdirLook =
  | { readonly place: 'present' | 'unreachable' }
  | { readonly place: 'missing'; readonly parent: FileId };

export function lookForWorkdir(workdir: string): WorkdirLook {
  try {
    if (statSync(workdir).isDirectory()) return { place: 'present' };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') return { place: 'unreachable' };
  }
  try {
    const above = dirname(workdir);
    const parent = fileId(above);
    return readdirSync(above).length > 0 ? { place: 'missing', parent } : { place: 'unreachable' };
  } catch {
    // Not there or not readable: no evidence.
    return { place: 'unreachable' };
  }
}

export function fileId(path: string): FileId {
  return fileIdOf(statSync(path, { bigint: true }));
}

export function fileIdOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): FileId {
  return { dev: String(dev), ino: String(ino) };
}

export function sameFile(a: FileId, b: FileId): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
