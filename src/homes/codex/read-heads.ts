import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorText } from '../../core/error-text.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { type RolloutPlace, rolloutPlace } from './codex-places.ts';
import { readRolloutHead, type RolloutHead } from './rollout-head.ts';

/** A rollout with what its name and its first line say. */
export interface Rollout extends RolloutPlace {
  readonly file: TreeFile;
  /** Absent where it does not begin as Codex begins its files, or cannot be read. */
  readonly head?: RolloutHead;
  /** Why it cannot be read, so that nobody knows what it needs. */
  readonly unread?: string;
}

/** Reads the first lines of rollouts, and remembers them for as long as no rollout changes: they are looked at again and again. */
export type ReadRollouts = (tree: HomeTree) => Promise<readonly Rollout[]>;

/** Others get a turn after so many of them were looked into. */
const TURN_FILES = 100;

export function createRolloutReader(): ReadRollouts {
  let known = new Map<string, Rollout>();
  return async ({ home, files }) => {
    const found = new Map<string, Rollout>();
    let read = 0;
    for (const file of files.values()) {
      const place = rolloutPlace(file.path);
      if (place === undefined) continue;
      const before = known.get(file.path);
      if (before !== undefined && isSame(before, file)) {
        found.set(file.path, { ...before, file });
        continue;
      }
      read += 1;
      if (read % TURN_FILES === 0) await setImmediate();
      found.set(file.path, { ...place, file, ...headOf(join(home, file.path)) });
    }
    known = found;
    return [...found.values()];
  };
}

/** What could not be read is tried again. */
function isSame({ file, unread }: Rollout, { sizeBytes, modifiedAt }: TreeFile): boolean {
  return unread === undefined && file.sizeBytes === sizeBytes && file.modifiedAt === modifiedAt;
}

function headOf(path: string): Pick<Rollout, 'head' | 'unread'> {
  try {
    const head = readRolloutHead(path);
    return head === undefined ? {} : { head };
  } catch (error) {
    return { unread: errorText(error).replace(/\.$/, '') };
  }
}
