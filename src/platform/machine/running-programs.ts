import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** A process that runs, as the system shows it. */
export interface RunningProgram {
  readonly pid: number;
  /** The name that it gave itself, or that of its file. Systems keep 15 characters of it. */
  readonly name: string;
  readonly args: readonly string[];
  /** Where it works. */
  readonly workdir: string;
}

/**
 * The processes that can be looked at: on Linux those of this person, or all for who may see them. Elsewhere the system does not tell where
 * a process works, and the list is empty. Nobody can be shown not to run by it.
 */
export function runningPrograms(proc = '/proc'): readonly RunningProgram[] {
  if (process.platform !== 'linux') return [];
  return pidsIn(proc).flatMap((pid) => {
    if (pid === process.pid) return [];
    try {
      const workdir = readlinkSync(`${proc}/${pid}/cwd`);
      const name = readFileSync(`${proc}/${pid}/comm`, 'utf8').trimEnd();
      const args = readFileSync(`${proc}/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
      return [{ pid, name, args, workdir }];
    } catch {
      // It has ended, or is somebody else's.
      return [];
    }
  });
}

/**
 * The folders in which a program is at work: one that has this name, or that an interpreter runs from a file of this name or out of a
 * package of one of these names.
 */
export function workdirsOf(
  { name, packages }: { readonly name: string; readonly packages: readonly string[] },
  programs: readonly RunningProgram[] = runningPrograms(),
): ReadonlySet<string> {
  const isIt = (program: RunningProgram) =>
    program.name === name ||
    program.args
      .slice(0, 3)
      .some((arg) => basename(arg) === name || packages.some((each) => arg.includes(`/${each}/`)));
  return new Set(programs.filter(isIt).map(({ workdir }) => workdir));
}

/** The same, looked at again at most twice a second: for who asks about one session after the other. */
export function watchWorkdirs(program: Parameters<typeof workdirsOf>[0]): () => ReadonlySet<string> {
  let last: { readonly at: number; readonly found: ReadonlySet<string> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > WATCH_MS) {
      last = { found: workdirsOf(program), at: performance.now() };
    }
    return last.found;
  };
}

const WATCH_MS = 500;

function pidsIn(proc: string): number[] {
  try {
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
