import { realpathSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, resolve, sep } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import { isMountPoint } from '../../platform/machine/mount-point.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { expandTilde } from '../../platform/machine/user-home.ts';

export type Admission = { readonly workdir: string } | Refusal;

export interface Refusal {
  readonly message: string;
  readonly hint: string;
}

const CHOOSE = 'Choose the folder of one project inside it.';

/**
 * Decides whether checkpoints of a directory may be taken, and gives its real path. Directories that hold far more than one
 * project are refused: saving them would fill the disk, and going back would change things nobody meant.
 */
export function admitWorkdir(given: string, homeRoot: string): Admission {
  const workdir = realDirectory(given);
  if (typeof workdir !== 'string') return workdir;
  if (workdir === dirname(workdir)) return refusal(`${workdir} is the root of the whole system.`);
  const homeDir = homeDirectories().find((dir) => holds(workdir, dir));
  if (homeDir !== undefined || isUserFolder(workdir)) return refusal(`${workdir} is or holds a home directory.`);
  const home = realpathSync(homeRoot);
  if (holds(workdir, home)) return refusal(`${workdir} holds the Coppice home, where the checkpoints are.`);
  if (holds(home, workdir)) return refusal(`${workdir} is inside the Coppice home.`, 'Choose a folder outside of it.');
  if (isMountPoint(workdir)) return refusal(`${workdir} is a whole mounted volume.`);
  return { workdir };
}

/** The refusal of a project that holds too much. */
export function tooManyFiles(workdir: string, maxFiles: number): Refusal {
  const count = maxFiles.toLocaleString('en-US');
  return {
    message: `${workdir} holds more than ${count} files that would be saved.`,
    hint: 'Leave some out with checkpoints.exclude or a .gitignore file, or raise checkpoints.max_files.',
  };
}

function realDirectory(given: string): string | Refusal {
  try {
    const real = realpathSync(resolve(expandTilde(given)));
    if (statSync(real).isDirectory()) return real;
    return { message: `${given} is not a folder.`, hint: 'Choose the folder that holds it.' };
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
    return missing
      ? { message: `${given} does not exist.`, hint: 'Check the path.' }
      : { message: `${given} cannot be opened (${errorCode(error) ?? String(error)}).`, hint: 'Check who owns it.' };
  }
}

function homeDirectories(): string[] {
  return [homedir(), accountHome(), '/root'].filter((dir) => dir !== '' && dir !== sep).map(realPathIfThere);
}

/** An account that has no entry has no home there either. */
function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** `/home`, `/home/anyone`, and the same of macOS. */
function isUserFolder(path: string): boolean {
  return /^\/(home|Users)(\/[^/]+)?$/.test(path);
}

/** Whether `inner` is `outer` or lies below it. */
function holds(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

function refusal(why: string, hint: string = CHOOSE): Refusal {
  return { message: `No checkpoint was taken: ${why}`, hint };
}
