import { closeSync, constants, type Dirent, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import { wait } from '../../platform/machine/wait.ts';

/** Git opens these in every folder. */
const IN_FOLDERS: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes']);
/** Git opens these in the repository of a folder that has one, wherever that is. */
const IN_REPOSITORIES = ['HEAD', 'commondir'] as const;
const BREATH = 20;

/** The pipes that git would open and wait at in a project. Refuses a device, which git might read without an end. */
export async function findPipes(workdir: string, signal: AbortSignal): Promise<Buffer[]> {
  const pipes: Buffer[] = [];
  const folders: Buffer[] = [Buffer.from(workdir)];
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (++looked % BREATH === 0) await wait(0, signal);
    for (const entry of entriesOf(folder)) {
      const path = below(folder, entry.name);
      const name = entry.name.toString();
      if (name === '.git') pipes.push(...IN_REPOSITORIES.map((file) => below(repositoryOf(path), file)).filter(isPipe));
      else if (entry.isDirectory()) folders.push(path);
      else if (IN_FOLDERS.has(name) && isPipe(path)) pipes.push(path);
    }
  }
  return pipes;
}

function below(folder: Buffer, name: Buffer | string): Buffer {
  return Buffer.concat([folder, SLASH, Buffer.from(name)]);
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

/** A `.git` that is a file names the folder that is meant, which may be anywhere. */
function repositoryOf(path: Buffer): Buffer {
  try {
    // It may be a pipe by now.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const text = Buffer.alloc(MAX_LINK_BYTES);
      const [, target] = /^gitdir: (.*?)[\r\n]*$/s.exec(text.toString('latin1', 0, readSync(file, text))) ?? [];
      return target === undefined ? path : Buffer.from(resolve(path.toString('latin1'), '..', target), 'latin1');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // A folder, or out of reach.
    return path;
  }
}

/** Longer than any path. */
const MAX_LINK_BYTES = 8192;

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
