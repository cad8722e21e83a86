import { lstatSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../../core/failure.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { syncDir } from '../../../platform/files/private-files.ts';
import { removeLeftovers } from '../../../platform/leftovers/remove-leftovers.ts';
import { temporaryName } from '../../../platform/leftovers/temporary-name.ts';

/** Large enough to make system calls rare, small enough to hold at any time. */
const BUFFER_CHARACTERS = 64 * 1024;

/**
 * Writes an export to a file that only its owner can read. The file appears whole or not at all, and an existing one is
 * replaced only on request.
 */
export async function writeExport(
  path: string,
  chunks: AsyncIterable<string>,
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): Promise<{ readonly sizeBytes: number }> {
  if (!overwrite) refuseExisting(path);
  const dir = dirname(path);
  removeLeftovers(dir);
  const temporary = join(dir, temporaryName());
  const file = await createFile(temporary, dir);
  try {
    const sizeBytes = await writeAndClose(file, chunks);
    if (!overwrite) refuseExisting(path);
    await rename(temporary, path);
    syncDir(dir);
    return { sizeBytes };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new Failure('refused', `${path} already exists and was left as it is.`, {
    hint: 'Choose another name, or move the file away first.',
  });
}

async function createFile(path: string, dir: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (['ENOENT', 'ENOTDIR'].includes(code)) {
      throw new Failure('usage', `The folder ${dir} does not exist.`, {
        hint: 'Create it first, or choose another place.',
        cause: error,
      });
    }
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
    throw new Failure('refused', `Nothing can be written to the folder ${dir}.`, {
      hint: 'Choose another place.',
      cause: error,
    });
  }
}

async function writeAndClose(file: FileHandle, chunks: AsyncIterable<string>): Promise<number> {
  try {
    // The umask may have taken bits away from the mode that `open` was given.
    await file.chmod(0o600);
    let sizeBytes = 0;
    for await (const text of gather(chunks)) {
      const data = Buffer.from(text);
      await file.writeFile(data);
      sizeBytes += data.length;
    }
    await file.sync();
    return sizeBytes;
  } finally {
    await file.close();
  }
}

/** Joins small chunks. A character pair is never split: each chunk is a whole text. */
async function* gather(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let gathered = '';
  for await (const chunk of chunks) {
    gathered += chunk;
    if (gathered.length < BUFFER_CHARACTERS) continue;
    yield gathered;
    gathered = '';
  }
  yield gathered;
}
