import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EpochMs } from '../../src/core/time.ts';
import type { Use } from '../../src/core/sessions/in-use.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { isTemporaryName } from '../../src/platform/leftovers/temporary-name.ts';
import { dumpDatabase } from './codex-databases.ts';

/** When it is in every home that such a scene builds. */
export const FILE_NOW: EpochMs = Date.UTC(2026, 9, 1, 12);

/** A home of one agent as its program would have left it, with traps, and what is true of it. */
export interface FileHomeScene {
  /** Writes it into a folder that does not exist yet. Times come from `FILE_NOW`; `putFile` helps. */
  readonly build: (home: string) => void;
  /** Sessions that nothing holds, later parts of a conversation first. */
  readonly removable: readonly string[];
  /** Sessions that are in use, referenced, unreadable, of another version, or pinned. */
  readonly held: readonly string[];
  /** Adds to a session as its agent does, such as a line to its transcript. */
  readonly change: (home: string, id: string) => void;
  /** Brings a session into use the way its agent shows it. What it gives back is ended with the home. */
  readonly uses: Readonly<Partial<Record<Use, (home: string, id: string) => Disposable | void>>>;
  /** Files whose times change with what is taken and put back, because sessions share them. */
  readonly shared?: (path: string) => boolean;
  /** Databases: their rows are compared, and not in what order they stand in which of the files. */
  readonly databases?: (path: string) => boolean;
  /** Files that go to the trash with their session, and never into an archive. */
  readonly secret?: (path: string) => boolean;
  /** Whether any session has files that can go without it. */
  readonly spares?: boolean;
  /** Whether a conversation can go on in another session. */
  readonly continues?: boolean;
}

/** Writes a file with the folders above it, private and of a certain time. */
export function putFile(home: string, path: string, content: string | Uint8Array, at: EpochMs = FILE_NOW): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode: 0o600 });
  utimesSync(file, at / 1000, at / 1000);
}

/** Lines of JSON, each ended. */
export function jsonLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Everything in a home but Coppice's own records, in a form that can be compared. Times of folders change with what is in them. */
export function dumpFileHome(
  home: string,
  { shared = () => false, databases = () => false }: Pick<FileHomeScene, 'shared' | 'databases'> = {},
): string[] {
  const lines: string[] = [];
  for (const entry of walkTree(home, { skips: (path) => path === '.coppice' })) {
    const path = join(home, entry.path);
    // A death leaves it; whoever comes next removes it, once its owner is gone.
    if (isTemporaryName(basename(entry.path))) continue;
    if (databases(entry.path.replace(/-(wal|shm)$/, ''))) {
      if (databases(entry.path)) lines.push(...dumpDatabase(path).map((row) => `${entry.path} ${row}`));
      continue;
    }
    if (entry.kind === 'unreadable') lines.push(`${entry.path} unreadable`);
    else if (entry.kind === 'symlink') lines.push(`${entry.path} -> ${readlinkSync(path)}`);
    else if (entry.kind !== 'file') lines.push(`${entry.path} ${entry.kind} ${entry.mode.toString(8)}`);
    else {
      const { mode, mtimeNs } = lstatSync(path, { bigint: true });
      const content = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
      const at = shared(entry.path) ? 'any time' : String(mtimeNs / 1000n);
      lines.push(`${entry.path} ${mode.toString(8)} ${at} ${content}`);
    }
  }
  return lines;
}
