import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import { isLegacy } from './gemini-places.ts';

/** How its process is known: by its file, or by the package that Node runs. */
export const PROGRAM = { name: 'gemini', packages: ['gemini-cli'] };

/** Paths are no longer than that. */
const ROOT_BYTES = 4096;

/** Where a project is, as its folder says. Earlier versions did not say it. */
export function rootOf(home: string, project: string): string | undefined {
  const root = readBeginning(join(home, 'tmp', project, '.project_root'), ROOT_BYTES)?.trim();
  return root === '' ? undefined : root;
}

/** Whether the program is at work in a project, by the folders in which its processes are. */
export function isBusyProject(home: string, project: string, workdirs: ReadonlySet<string>): boolean {
  if (workdirs.size === 0) return false;
  if (isLegacy(project)) return [...workdirs].some((workdir) => hash('sha256', workdir) === project);
  const root = rootOf(home, project);
  return root !== undefined && (workdirs.has(root) || workdirs.has(realOf(root)));
}

/** A process is in a folder, whatever links lead there. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there, so nobody is in it.
    return path;
  }
}
