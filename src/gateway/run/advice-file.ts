import { closeSync, openSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Verdict } from '../../core/gateway/gateway.ts';
import { type Clock, isoTime } from '../../core/time.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { removeIn } from '../../platform/files/remove-tree.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { temporaryFolder } from '../../platform/leftovers/temporary-folder.ts';
import { isTemporaryName } from '../../platform/leftovers/temporary-name.ts';

/** Where an agent under watch reads what it is advised: `docs/formats/events.md` is the format. */
export interface AdviceFile {
  readonly path: string;
  /** Adds a line. */
  add(verdict: Verdict): void;
  remove(): void;
}

/** The variable that holds its path. */
export const ADVICE_VARIABLE = 'COPPICE_ADVICE';

const NAME = 'advice.jsonl';
const FOLDER = 'coppice-advice';
/** As earlier versions named the folder: without its owner. */
const EARLIER = /^coppice-advice-[A-Za-z0-9]{6}$/;
/** More than a run can need: each piece of advice is given once, until a streak has ended. */
const MOST_LINES = 1000;

/**
 * Makes an empty file that only this user can read, in a folder of its own, which bears its owner: those of dead supervisors go
 * first. Throws where the machine has no room for it.
 */
export function createAdviceFile(clock: Clock): AdviceFile {
  const folder = temporaryFolder(FOLDER);
  const fd = openSync(folder.at(NAME), 'ax', 0o600);
  let lines = 0;
  return {
    path: join(folder.path, NAME),
    add({ kind, say, causes }) {
      lines += 1;
      // Without the key that makes a line an event: an agent may print what it reads.
      if (lines > MOST_LINES) return;
      try {
        writeSync(fd, `${JSON.stringify({ at: isoTime(clock.now()), kind, say, causes })}\n`);
      } catch {
        // A full disk is no reason to end a run, and the person was told.
      }
    },
    remove() {
      closeSync(fd);
      // Something may still be writing there: it is in the folder of the machine for what is temporary.
      ifPossible(() => folder[Symbol.dispose]());
    },
  };
}

/** Removes the folder that `createAdviceFile` made, with what a hook noted there, and nothing else, whatever the path says. */
export function removeAdviceFile(path: string): void {
  const folder = dirname(path);
  if (basename(path) !== NAME || !isOurs(basename(folder))) return;
  // Something may still be writing there, or the machine has cleared it away.
  ifPossible(() => {
    using above = DirectoryHandle.open(dirname(folder));
    removeIn(above, basename(folder));
  });
}

const isOurs = (folder: string) => isTemporaryName(folder, FOLDER) || EARLIER.test(folder);
