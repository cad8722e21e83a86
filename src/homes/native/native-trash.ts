import { basename, join } from 'node:path';
import type { RunItem } from '../../core/retention/run.ts';
import { type Move, openRunTrash, type RunTrash } from '../../keeping/run-trash.ts';
import { DUMPS_NAME, type NativeLayout, TRANSCRIPT_NAME } from './native-layout.ts';

/** The trash of a run in a native home. */
export function openNativeTrash(layout: NativeLayout, runId: string): RunTrash {
  const movesOf = (item: RunItem, place: string) => movesFor(layout, item, place);
  return openRunTrash({ home: layout.root, root: layout.trash(runId), movesOf });
}

/** Where the files of an item are, and where they go. */
function movesFor(layout: NativeLayout, { item, action }: RunItem, place: string): readonly Move[] {
  // Of an archive only rows go; its bundle has others in it.
  if (item.kind === 'archive') return [];
  if (item.kind !== 'session') {
    const from = join(layout.root, item.id);
    return [{ from, to: join(place, basename(from)) }];
  }
  const directory = layout.sessionDir(item.id);
  if (action === 'remove' || action === 'archive') return [{ from: directory, to: place }];
  const names = action === 'drop-dumps' ? [DUMPS_NAME] : [TRANSCRIPT_NAME, DUMPS_NAME];
  return names.map((name) => ({ from: join(directory, name), to: join(place, name) }));
}
