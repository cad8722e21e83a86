import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { Failure } from '../core/failure.ts';
import { errorCode } from '../platform/error-code.ts';
import { wait } from '../platform/wait.ts';

/** Git opens these in every folder, or in one that it takes for a repository inside the project. */
const OPENED_BY_GIT: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', 'HEAD', 'commondir']);
const BREATH = 20;

/** The pipes in a project that git would open and wait at. Refuses a device, which git might read without an end. */
export async function findPipes(workdir: string, signal: AbortSignal): Promise<Buffer[]> {
  const pipes: Buffer[] = [];
  const folders = [Buffer.from(workdir)];
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (++looked % BREATH === 0) await wait(0, signal);
    for (const entry of entriesOf(folder)) {
      const path = Buffer.concat([folder, SLASH, entry.name]);
      if (entry.isDirectory()) folders.push(path);
      else if (OPENED_BY_GIT.has(entry.name.toString()) && isPipe(path)) pipes.push(path);
    }
  }
  return pipes;
}

const SLASH = Buffer.from('/');

/** What cannot be read is not read by git either. */
function entriesOf(folder: Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Links are followed, as some versions of git do. */
function isPipe(path: Buffer): boolean {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
  if (stat !== undefined && isEndless(stat)) throw endlessDevice(path);
  return stat?.isFIFO() === true;
}

/** One device comes to its end at once: /dev/null, by which containers hide a file. */
function isEndless(stat: Stats): boolean {
  return (stat.isCharacterDevice() || stat.isBlockDevice()) && stat.rdev !== statSync('/dev/null').rdev;
}

function endlessDevice(path: Buffer): Failure {
  return new Failure('refused', `${path.toString()} is a device, and git would read it without an end.`, {
    hint: 'Nothing was saved. Remove it, then try again.',
  });
}
