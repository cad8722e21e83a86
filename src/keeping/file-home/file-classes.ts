import { basename } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import type { ScanOptions } from '../../core/retention/home-driver.ts';
import type { FileClass } from '../../core/retention/inventory.ts';
import { isTemporaryName } from '../../platform/leftovers/temporary-name.ts';
import type { TreeFile } from './home-tree.ts';
import type { LookedHome } from './look-at-home.ts';
import { piecesOf } from './session-pieces.ts';

/** Every file of a home by sort, folders included: together they are what the home takes without Coppice's own records. */
export interface ClassifiedFiles {
  readonly classes: readonly FileClass[];
  /** What nobody knows, one for each name at the top of the home. */
  readonly problems: readonly Problem[];
}

/** What belongs to nobody that is known. */
const UNKNOWN = 'unknown';

export function classifyFiles(look: LookedHome, onFile?: ScanOptions['onFile']): ClassifiedFiles {
  const { tree, sorted } = look;
  const classes = new Map<string, { files: number; sizeBytes: number; unbounded: boolean }>();
  const placed = new Set<string>();
  const unknown = new Map<string, { files: number; sizeBytes: number }>();
  const add = (name: string, files: Iterable<TreeFile>, unbounded: boolean) => {
    const sum = classes.get(name) ?? { files: 0, sizeBytes: 0, unbounded };
    for (const { path, diskBytes, sizeBytes } of files) {
      if (placed.has(path)) continue;
      placed.add(path);
      sum.files += 1;
      sum.sizeBytes += diskBytes;
      onFile?.({ kind: name, sizeBytes });
      if (name === UNKNOWN) addTop(unknown, path, sizeBytes);
    }
    classes.set(name, sum);
  };
  for (const session of sorted.sessions)
    for (const { role, files } of piecesOf(session)) add(NAMES[role], files, role === 'spare');
  for (const { kind, files } of sorted.strays) add(kind, files, true);
  for (const { name, files, unbounded } of sorted.others) add(name, files, unbounded);
  // What Coppice itself was writing when it died, in a file that sessions share.
  const left = [...tree.files.values()].filter(({ path }) => isTemporaryName(basename(path)));
  add('leftover', left, false);
  add(UNKNOWN, tree.files.values(), false);
  const rest: FileClass[] = [
    { name: 'odd', files: tree.odd.length, sizeBytes: tree.oddBytes, unbounded: false },
    { name: 'folder', files: 0, sizeBytes: tree.folderBytes, unbounded: false },
  ];
  const all = [...[...classes].map(([name, sum]): FileClass => ({ name, ...sum })), ...rest];
  return {
    classes: all.filter(({ files, sizeBytes }) => files > 0 || sizeBytes > 0),
    problems: [...[...unknown].map(notKnown), ...tree.odd.map(noFile)],
  };
}

/** What files take on the disk. */
export function sumDisk(files: Iterable<TreeFile>): number {
  let sum = 0;
  for (const { diskBytes } of files) sum += diskBytes;
  return sum;
}

const NAMES = { transcript: 'transcript', part: 'session-file', spare: 'spare-output' } as const;

function addTop(unknown: Map<string, { files: number; sizeBytes: number }>, path: string, sizeBytes: number): void {
  const top = path.split('/', 1).join();
  const sum = unknown.get(top) ?? { files: 0, sizeBytes: 0 };
  unknown.set(top, { files: sum.files + 1, sizeBytes: sum.sizeBytes + sizeBytes });
}

function notKnown([path, { files, sizeBytes }]: [string, { files: number; sizeBytes: number }]): Problem {
  const size = files === 1 ? `${sizeBytes} bytes` : `${files} files, ${sizeBytes} bytes`;
  const message = `${path} holds what its agent is not known to write (${size}). It is left alone.`;
  return { kind: 'unknown-file', subject: path, message };
}

function noFile(path: string): Problem {
  return { kind: 'odd-file', subject: path, message: `${path} is neither a file nor a folder. It is left alone.` };
}
