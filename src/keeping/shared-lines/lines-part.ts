import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import type { SharedPart } from '../file-home/file-agent.ts';
import { readShared, replaceShared, sharedFileObstacle } from '../file-home/replace-shared.ts';
import {
  contentOf,
  copyLines,
  type LineKeys,
  linesOf,
  names,
  type SharedLines,
  withCopy,
  withoutCopy,
} from './owned-lines.ts';

/** A file in a home whose lines are of its sessions, and how its agent keeps others out while it writes there. */
export interface LinesFile {
  /** The stable word for what a session has in it. */
  readonly name: string;
  readonly file: string;
  readonly keys: LineKeys;
  /** Carries out something while the agent writes nothing there. */
  readonly locked: <T>(home: DirectoryHandle, act: () => T) => Promise<T>;
}

/**
 * What sessions have in one file of lines. Its agent may append to it while it runs, under a lock of its own. Each change takes that lock
 * and puts a whole new file in place of the old one, so that no line is lost and none is told twice.
 */
export function linesPart(of: LinesFile): SharedPart {
  const { name, file, keys, locked } = of;
  return {
    name,
    obstacle(home) {
      using folder = DirectoryHandle.open(home);
      return sharedFileObstacle(folder, file, 'what the session has in it');
    },
    async copy(home, id) {
      using folder = DirectoryHandle.open(home);
      if (!names(readShared(folder, file), id)) return undefined;
      return await locked(folder, () => copyLines(linesOf(readShared(folder, file)), id, keys));
    },
    async takeOut(home, id, copy) {
      using folder = DirectoryHandle.open(home);
      await change(of, folder, (content) => (names(content, id) ? withoutCopy(linesOf(content), copy) : undefined));
    },
    async putBack(home, _, copy) {
      using folder = DirectoryHandle.open(home);
      await change(of, folder, (content) => withCopy(linesOf(content), copy, keys));
    },
  };
}

/** What it is to say from now on; undefined where it is to stay as it is. */
type Change = (content: Buffer) => SharedLines | undefined;

async function change({ file, locked }: LinesFile, folder: DirectoryHandle, make: Change): Promise<void> {
  await locked(folder, () => {
    const content = readShared(folder, file);
    const lines = make(content);
    const after = lines === undefined ? content : contentOf(lines);
    replaceShared(folder, file, after.length === content.length ? undefined : after);
  });
}
