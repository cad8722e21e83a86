import { join } from 'node:path';
import type { NativeLayout } from '../../homes/native/native-layout.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';

/** A file that a session owns. */
export interface SessionFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The files of a session, with whole paths. */
export function sessionFiles(layout: NativeLayout, id: string): readonly SessionFile[] {
  const directory = layout.sessionDir(id);
  const files: SessionFile[] = [];
  for (const entry of walkTree(directory)) {
    if (entry.kind === 'file') files.push({ path: join(directory, entry.path), sizeBytes: entry.sizeBytes });
  }
  return files;
}
