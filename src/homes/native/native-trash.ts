import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunItem } from '../../core/run.ts';
import { moveEntry } from '../../platform/move-entry.ts';
import { makePrivateDir, syncDir } from '../../platform/private-files.ts';
import { DUMPS_NAME, type NativeLayout, TRANSCRIPT_NAME } from './native-layout.ts';

/**
 * The files of a run's items in `trash/<run>/<number>/`. Everything here can be asked for twice: what is moved already stays
 * where it is.
 */
export interface NativeTrash {
  /** Writes down what is about to be moved, for people who have only the files. */
  note(items: readonly RunItem[]): void;
  take(item: RunItem): void;
  /** False when something stands where the files came from. */
  giveBack(item: RunItem): boolean;
  purge(item: RunItem): void;
  /** Makes the moves of a group survive a power cut. */
  sync(): void;
}

export function openNativeTrash(layout: NativeLayout, runId: string): NativeTrash {
  const root = layout.trash(runId);
  const touched = new Set<string>();
  const move = (from: string, to: string) => {
    if (moveEntry(from, to) === 'moved') for (const path of [from, to]) touched.add(dirname(path));
  };
  const placeOf = (item: RunItem) => join(root, String(item.number));

  return {
    note(items) {
      makePrivateDir(root);
      appendDurably(join(root, 'manifest.jsonl'), items.map((item) => `${manifestLine(item)}\n`).join(''));
      syncDir(root);
      syncDir(dirname(root));
    },
    take(item) {
      const place = placeOf(item);
      for (const { from, to } of movesOf(layout, item, place)) {
        if (existsSync(to)) continue;
        if (dirname(to) !== root) makePrivateDir(dirname(to));
        move(from, to);
      }
    },
    giveBack(item) {
      const moves = movesOf(layout, item, placeOf(item)).filter(({ to }) => existsSync(to));
      if (moves.some(({ from }) => existsSync(from))) return false;
      for (const { from, to } of moves) {
        makePrivateDir(dirname(from));
        move(to, from);
      }
      return true;
    },
    purge(item) {
      // A name of our own making below our own trash: nothing else can be there.
      rmSync(placeOf(item), { recursive: true, force: true });
    },
    sync() {
      for (const directory of touched) if (existsSync(directory)) syncDir(directory);
      touched.clear();
    },
  };
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/** Where the files of an item are, and where they go. */
function movesOf(layout: NativeLayout, { item, action }: RunItem, place: string): readonly Move[] {
  if (item.kind !== 'session') {
    const from = join(layout.root, item.id);
    return [{ from, to: join(place, basename(from)) }];
  }
  const directory = layout.sessionDir(item.id);
  if (action === 'remove') return [{ from: directory, to: place }];
  const names = action === 'drop-dumps' ? [DUMPS_NAME] : [TRANSCRIPT_NAME, DUMPS_NAME];
  return names.map((name) => ({ from: join(directory, name), to: join(place, name) }));
}

function manifestLine({ number, item, action, reason }: RunItem): string {
  return JSON.stringify({ number, kind: item.kind, id: item.id, action, reason });
}

function appendDurably(path: string, text: string): void {
  const handle = openSync(path, 'a', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
