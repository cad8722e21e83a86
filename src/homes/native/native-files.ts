import { existsSync } from 'node:fs';
import type { EpochMs } from '../../core/time.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
import { isTemporaryName } from '../../platform/leftovers/temporary-name.ts';
import { DUMPS_NAME, type NativeLayout, TRANSCRIPT_NAME } from './native-layout.ts';
import { isDumpName } from './request-dumps.ts';

/** What a file below `sessions/` is. `unknown` is reported and never touched. */
export type FileKind = 'transcript' | 'dump' | 'unacknowledged' | 'temporary' | 'unknown';

export type NativeFile =
  | {
      readonly kind: FileKind;
      readonly path: string;
      readonly sizeBytes: number;
      readonly diskBytes: number;
      readonly mode: number;
      readonly modifiedAt: EpochMs;
    }
  | {
      /** A `folder` is any other one: those above the directories of sessions, and those in them. */
      readonly kind: 'session-dir' | 'folder';
      readonly path: string;
      readonly diskBytes: number;
      readonly mode: number;
      readonly modifiedAt: EpochMs;
    }
  | { readonly kind: 'unreadable'; readonly path: string; readonly error: string };

/** Every directory and file below `sessions/`, named by what it is. Paths are relative to that folder. */
export function* nativeFiles(layout: NativeLayout): Generator<NativeFile> {
  // A home without a single transcript has no such folder yet.
  if (!existsSync(layout.sessions)) return;
  for (const entry of walkTree(layout.sessions)) {
    if (entry.kind === 'unreadable') {
      yield entry;
    } else {
      const { path, sizeBytes, diskBytes, mode, modifiedAt } = entry;
      if (entry.kind === 'dir')
        yield { kind: isSessionDir(path) ? 'session-dir' : 'folder', path, diskBytes, mode, modifiedAt };
      else {
        const kind = entry.kind === 'file' ? fileKind(path) : 'unknown';
        yield { kind, path, sizeBytes, diskBytes, mode, modifiedAt };
      }
    }
  }
}

/** `<shard>/<name>`, and nothing below it. */
function isSessionDir(path: string): boolean {
  const slash = path.indexOf('/');
  return slash !== -1 && path.indexOf('/', slash + 1) === -1;
}

/** What a file below `sessions/` is, by its path. */
export function fileKind(path: string): FileKind {
  const parts = path.split('/');
  const [first = '', second = ''] = [parts[2], parts[3]];
  if (isTemporaryName(second === '' ? first : second)) return 'temporary';
  if (parts.length > 4) return 'unknown';
  if (second !== '') return first === DUMPS_NAME && isDumpName(second) ? 'dump' : 'unknown';
  if (first === TRANSCRIPT_NAME) return 'transcript';
  return /^unacknowledged-\d+-\d+\.jsonl$/.test(first) ? 'unacknowledged' : 'unknown';
}
