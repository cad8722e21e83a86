import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../core/time.ts';
import { DirectoryHandle } from '../../../../platform/files/directory-handle.ts';
import { listNames } from '../../../../platform/files/list-names.ts';
import { walkTree } from '../../../../platform/files/walk-tree.ts';
import { type GitPlace, runGit } from '../../../../platform/git/run-git.ts';
import { temporaryFolderIn } from '../../../../platform/leftovers/temporary-folder.ts';
import { freeBytes } from '../../../../platform/machine/file-system-facts.ts';
import { dropKeeps, dropShortcuts } from './pack-files.ts';
import { gitPlace } from './read-snapshots.ts';

export interface ReclaimParts {
  readonly gitDir: string;
  /** Where an index can be written for as long as it is needed: outside of the repository. */
  readonly scratch: string;
  /** How old what nothing needs must be. An older Hermes heeds no lock, and may be about to use it. */
  readonly graceMs?: number;
}

const GRACE_MS = HOUR_MS;

/**
 * Gives the space of what no snapshot needs back to the disk. What the indexes of Hermes name counts as needed: git does not
 * know them, and Hermes believes that it is there. Does nothing while Hermes may be writing. Returns how many bytes were freed.
 * The caller holds Hermes' lock.
 */
export async function reclaimRepository({ gitDir, scratch, graceMs = GRACE_MS }: ReclaimParts): Promise<number> {
  if (!isResting(gitDir)) return 0;
  const before = sizeOf(gitDir);
  const since = `@${Math.floor((Date.now() - graceMs) / SECOND_MS)} +0000`;
  dropKeeps(gitDir);
  dropShortcuts(gitDir);
  using folder = temporaryFolderIn(scratch);
  const place = { ...gitPlace(gitDir), indexFile: join(folder.path, 'index') };
  await writeIndex(place, await indexedObjects(gitDir));
  // The older layout notes every step of its branch, which holds on to all that was ever there.
  await runGit(place, ['reflog', 'expire', '--expire=now', '--all'], LONG);
  // A new pack stands beside the old ones for a while.
  const roomy = freeBytes(gitDir) > before * 1.2;
  if (roomy) await runGit(place, [...REPACK, `--unpack-unreachable=${since}`], LONG);
  await runGit(place, ['prune', `--expire=${since}`], LONG);
  // git may have removed it as empty, and then takes the folder for no repository.
  makeHeads(gitDir);
  return Math.max(0, before - sizeOf(gitDir));
}

const REPACK = ['repack', '-A', '-d', '-l', '-q', '--no-write-bitmap-index'];
const LONG = { timeoutMs: HOUR_MS };

/** One index in place of all those that Hermes has, one for each project in the store or one in a repository of its own. */
async function writeIndex(place: GitPlace, ids: ReadonlySet<string>): Promise<void> {
  const input = [...ids].map((id, number) => `100644 ${id}\t${number}\0`).join('');
  await runGit(place, ['update-index', '-z', '--index-info'], { input });
}

/** What they name and what is there: anything else is lost already. */
async function indexedObjects(gitDir: string): Promise<ReadonlySet<string>> {
  const place = gitPlace(gitDir);
  const named = new Set<string>();
  for (const indexFile of [join(gitDir, 'index'), ...indexesIn(join(gitDir, 'indexes'))]) {
    const { stdout } = await runGit({ ...place, indexFile }, ['ls-files', '-s', '-z']);
    for (const [, id = ''] of stdout.toString('latin1').matchAll(/(?:^|\0)1[02]0\d{3} ([0-9a-f]{40}) /g)) named.add(id);
  }
  const input = [...named].map((id) => `${id}\n`).join('');
  const { stdout } = await runGit(place, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
  return new Set(Array.from(stdout.toString().matchAll(/^([0-9a-f]{40}) blob$/gm), ([, id = '']) => id));
}

/**
 * Whether nobody writes to it now. Newer versions of Hermes take the lock that the caller holds, and are known by what they
 * keep here. Of older ones only time tells: a take lasts a minute and a half at most. git removes empty folders as it tidies up,
 * which is enough to make a take of the same moment fail.
 */
function isResting(gitDir: string): boolean {
  if (existsSync(join(gitDir, 'ledgers'))) return true;
  const traces = TRACES.map((name) => statSync(join(gitDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Date.now() - Math.max(...traces) > REST_MS;
}

const REST_MS = 10 * MINUTE_MS;
/** What changes with every take, in either layout. */
const TRACES = ['index', 'indexes', 'refs/hermes', 'logs/HEAD'];

function makeHeads(gitDir: string): void {
  using repository = DirectoryHandle.open(gitDir);
  if (repository.look('refs') === undefined) mkdirSync(repository.at('refs'));
  using refs = repository.folder('refs');
  if (refs !== undefined && refs.look('heads') === undefined) mkdirSync(refs.at('heads'));
}

function indexesIn(dir: string): string[] {
  const names = listNames(dir).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return names.map((name) => join(dir, name));
}

function sizeOf(dir: string): number {
  let sizeBytes = 0;
  for (const entry of walkTree(dir)) if (entry.kind === 'file') sizeBytes += entry.diskBytes;
  return sizeBytes;
}
