import {
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { checkObjectKey, checkObjectPrefix } from '../../core/objects/object-key.ts';
import type {
  ObjectEntry,
  ObjectRange,
  ObjectSource,
  ObjectStore,
  PutOptions,
  PutResult,
} from '../../core/objects/object-store.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
import { writeAll } from '../../platform/files/write-all.ts';
import { isTemporaryName, temporaryName } from '../../platform/leftovers/temporary-name.ts';

/** So many bytes at a time. */
const PIECE_BYTES = 1024 * 1024;

/**
 * Objects as files below a folder, such as one on a mounted disk. The folder itself is never made: where a disk is not mounted there is none,
 * and what belongs on that disk must not land on another.
 */
export function createFileObjects(root: string): ObjectStore {
  return {
    place: `file:${root}`,
    async put(key, source, options = {}) {
      checkObjectKey(key);
      return await inPlace(root, () => write(root, key, { source, ...options }));
    },
    async get(key, range) {
      checkObjectKey(key);
      return await inPlace(root, () => read(root, key, range));
    },
    async sizeOf(key) {
      checkObjectKey(key);
      return await inPlace(root, async () => lookAt(root, key));
    },
    async *list(prefix) {
      checkObjectPrefix(prefix);
      const found = await inPlace(root, async () => entriesOf(root, prefix));
      yield* found.filter(({ key }) => !isTemporaryName(basename(key)));
    },
    async remove(key) {
      checkObjectKey(key);
      await inPlace(root, async () => removeAll(root, key));
    },
    async *unfinished(prefix) {
      checkObjectPrefix(prefix);
      const keys = await inPlace(root, async () => entriesOf(root, prefix).flatMap(({ key }) => begunKey(key) ?? []));
      yield* new Set(keys);
    },
  };
}

interface Writing extends PutOptions {
  readonly source: ObjectSource;
}

async function write(root: string, key: string, { source, onlyNew = false }: Writing): Promise<PutResult> {
  using folder = openBelow(root, join(root, dirname(key)), { create: true });
  const name = basename(key);
  if (onlyNew && folder.look(name) !== undefined) return 'there-already';
  const temporary = folder.at(temporaryName(prefixOf(name)));
  try {
    await fill(temporary, source);
    if (onlyNew) return linked(folder, { temporary, name });
    renameSync(temporary, folder.at(name));
    syncUp(root, folder);
    return 'stored';
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The one way to give a file a name that nothing must have: whoever comes second is told. */
function linked(folder: DirectoryHandle, { temporary, name }: { temporary: string; name: string }): PutResult {
  try {
    linkSync(temporary, folder.at(name));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'there-already';
    if (NO_LINKS.has(errorCode(error))) return 'refused';
    throw error;
  }
  rmSync(temporary, { force: true });
  folder.sync();
  return 'stored';
}

/** What file systems say that know no second name of a file. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function fill(path: string, source: ObjectSource): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    // The umask may have taken bits away from the mode that `open` was given.
    fchmodSync(handle, 0o600);
    for (let at = 0; at < source.sizeBytes; at += PIECE_BYTES)
      writeAll(handle, await source.read(at, Math.min(PIECE_BYTES, source.sizeBytes - at)), at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Folders that were made on the way must be there after a power cut, too. */
function syncUp(root: string, folder: DirectoryHandle): void {
  folder.sync();
  for (let path = dirname(folder.path); path.startsWith(root); path = dirname(path)) {
    using above = openBelow(root, path);
    above?.sync();
    if (path === root) return;
  }
}

async function read(root: string, key: string, range: ObjectRange | undefined) {
  const sizeBytes = lookAt(root, key);
  if (sizeBytes === undefined) return undefined;
  const { offsetBytes, lengthBytes } = range ?? { offsetBytes: 0, lengthBytes: sizeBytes };
  return pieces(root, key, { offsetBytes, lengthBytes });
}

async function* pieces(root: string, key: string, { offsetBytes, lengthBytes }: ObjectRange): AsyncGenerator<Buffer> {
  if (lengthBytes === 0) return;
  using folder = openBelow(root, join(root, dirname(key)));
  if (folder === undefined) throw cutShort(root, key);
  const fd = openRegular(folder.at(basename(key)), constants.O_RDONLY | constants.O_NOFOLLOW);
  const span = { start: offsetBytes, end: offsetBytes + lengthBytes - 1, highWaterMark: PIECE_BYTES };
  const stream = createReadStream('', { fd, ...span });
  let done = 0;
  try {
    for await (const chunk of stream) {
      done += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } finally {
    stream.destroy();
  }
  if (done < lengthBytes) throw cutShort(root, key);
}

function lookAt(root: string, key: string): number | undefined {
  using folder = openBelow(root, join(root, dirname(key)));
  const stat = folder?.look(basename(key));
  return stat?.isFile() === true ? stat.size : undefined;
}

function entriesOf(root: string, prefix: string): readonly ObjectEntry[] {
  // Only what is below the last whole folder of the prefix is walked.
  const base = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
  using folder = openBelow(root, join(root, base));
  if (folder === undefined) return [];
  const found: ObjectEntry[] = [];
  for (const entry of walkTree(join(root, base))) {
    const key = base === '' ? entry.path : `${base}/${entry.path}`;
    if (entry.kind === 'file' && isWithin(key, prefix)) found.push({ key, sizeBytes: entry.sizeBytes });
  }
  return found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** What is begun bears the key that it is to have, behind a dot. */
function isWithin(key: string, prefix: string): boolean {
  return key.startsWith(prefix) || (begunKey(key)?.startsWith(prefix) ?? false);
}

function removeAll(root: string, key: string): void {
  using folder = openBelow(root, join(root, dirname(key)));
  if (folder === undefined) return;
  const name = basename(key);
  for (const each of folder.names())
    if (each === name || isTemporaryName(each, prefixOf(name))) rmSync(folder.at(each), { force: true });
  folder.sync();
}

/** What is written under a key begins with that, so that it can be found by the key alone. */
function prefixOf(name: string): string {
  return `.begun-${name}`;
}

const BEGUN = /^\.begun-(.+?)-\d{1,10}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-z]{1,10}-[0-9a-f]{16}$/;

function begunKey(path: string): string | undefined {
  const [, name] = BEGUN.exec(basename(path)) ?? [];
  if (name === undefined) return undefined;
  return dirname(path) === '.' ? name : `${dirname(path)}/${name}`;
}

/** Says what is wrong with the folder before anything is said of what should be in it. */
async function inPlace<T>(root: string, act: () => Promise<T>): Promise<T> {
  if (!isThere(root)) throw notThere(root);
  try {
    return await act();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof Failure || code === undefined) throw error;
    throw new Failure('failed', `The folder ${root} refused it: ${code}.`, {
      hint: 'Nothing is lost. Make the folder writable or free some space, then run the same command again.',
      cause: error,
    });
  }
}

function notThere(root: string): Failure {
  return new Failure('failed', `The folder ${root} is not there.`, {
    hint: 'Mount the disk that it is on, or make the folder, then try again. It is never made by itself: it might land on another disk.',
  });
}

function cutShort(root: string, key: string): Failure {
  return new Failure('integrity', `${join(root, key)} is shorter than it was, or gone.`);
}
