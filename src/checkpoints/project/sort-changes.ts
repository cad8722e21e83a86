import { lstatSync, type Stats } from 'node:fs';
import type { LeftOutFile } from '../../core/retention/checkpoint.ts';
import type { Change } from './list-changes.ts';

/** What to do about each path: one list per thing that git is told. */
export interface Sorted {
  /** Brought up to date in the index: saved, or removed when there is no such file. */
  readonly save: readonly Buffer[];
  /** Taken out of the index whatever stands on the disk. */
  readonly drop: readonly Buffer[];
  readonly leftOut: readonly LeftOutFile[];
  /** By how many files the index grows. */
  readonly growth: number;
}

/**
 * Looks at the files themselves before anything of them is read. Removed is only what is positively not there; what cannot be
 * looked at keeps the state it was last saved in.
 */
export function sortChanges(workdir: string, changes: readonly Change[], maxFileBytes: number): Sorted {
  const save: Buffer[] = [];
  const drop: Buffer[] = [];
  const leftOut: LeftOutFile[] = [];
  let growth = 0;
  const prefix = Buffer.from(`${workdir}/`);
  const arrived = new Set(changes.filter(({ tag }) => tag === '?').map(({ path }) => path.toString('latin1')));
  for (const { tag, path } of once(changes)) {
    const fate = arrivedAbove(path, arrived) ? 'drop' : judge(Buffer.concat([prefix, path]), maxFileBytes);
    const known = tag !== '?';
    if (fate === 'save' || (fate === 'missing' && known)) save.push(path);
    if ((fate === 'drop' || fate === 'too-large') && known) drop.push(path);
    if (fate === 'too-large' || fate === 'unreadable') leftOut.push({ path: path.toString(), why: fate });
    if (known) growth -= fate === 'save' || fate === 'unreadable' ? 0 : 1;
    else growth += fate === 'save' ? 1 : 0;
  }
  return { save, drop, leftOut, growth };
}

/** A removed file is listed twice: as removed and as changed. */
function once(changes: readonly Change[]): Iterable<Change> {
  return new Map(changes.map((change) => [change.path.toString('latin1'), change])).values();
}

/** A file or link now stands where a directory above this path was. */
function arrivedAbove(path: Buffer, arrived: ReadonlySet<string>): boolean {
  const name = path.toString('latin1');
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    if (arrived.has(name.slice(0, at))) return true;
  }
  return false;
}

function judge(path: Buffer, maxFileBytes: number): 'save' | 'missing' | 'drop' | 'too-large' | 'unreadable' {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return 'unreadable';
  }
  if (stat === undefined) return 'missing';
  if (stat.isFile()) return stat.size > maxFileBytes ? 'too-large' : 'save';
  // git takes no link of this name.
  if (stat.isSymbolicLink()) return /\/\.gitmodules$/i.test(path.toString('latin1')) ? 'unreadable' : 'save';
  return 'drop';
}
