import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { machineFailure } from '../../core/machine-failure.ts';
import type { Journal } from '../../core/retention/run.ts';
import type { NativeLayout } from '../../homes/native/native-layout.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { isGivenUp } from '../../platform/leftovers/run-manifest.ts';
import type { HomeParts } from '../home-parts.ts';

/**
 * Whether a process is at work on what the home keeps, or died over it. One look at an index that is empty otherwise, and at the
 * names in the trash: everybody who is asked something looks first.
 */
export async function isUnfinished({ store, layout }: Pick<HomeParts, 'store' | 'layout'>): Promise<boolean> {
  const { journal } = store;
  if ((await unfinishedIfReadable(journal)).length > 0) return true;
  for (const runId of givenUpIfReadable(layout)) if ((await journal.totals(runId)).trashed !== undefined) return true;
  return false;
}

/** Of records that are damaged nothing is known. Whatever can be read is told all the same, and nothing is changed by anybody. */
async function unfinishedIfReadable(journal: Journal): Promise<readonly string[]> {
  try {
    return await journal.unfinished();
  } catch (error) {
    if (machineFailure(error)?.code !== 'integrity') throw error;
    return [];
  }
}

/** Runs whose trash goes for good, although the journal may not say so yet. */
export function givenUpRuns(layout: Pick<NativeLayout, 'root' | 'trash'>): readonly string[] {
  using trash = openBelow(layout.root, dirname(layout.trash('any')));
  return trash?.names().filter((runId) => hasGivenUp(trash, runId)) ?? [];
}

function hasGivenUp(trash: DirectoryHandle, runId: string): boolean {
  // What else lies in the trash is no run.
  if (trash.look(runId)?.isDirectory() !== true) return false;
  using run = trash.folder(runId);
  return run !== undefined && isGivenUp(run);
}

/** None where it cannot be read: whoever looks at the trash itself says why. */
function givenUpIfReadable(layout: Pick<NativeLayout, 'root' | 'trash'>): readonly string[] {
  try {
    return givenUpRuns(layout);
  } catch (error) {
    if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
    return [];
  }
}
