import { closeSync, constants, fstatSync, fsyncSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { readablePath } from '../machine/readable-path.ts';
import { openRegular } from './open-regular.ts';
import { writeAll } from './write-all.ts';

/**
 * Adds text at the end of a file, 0600 where it is new. On the disk when it returns, all but the name of a new file. A link, and a
 * file that has another name somewhere else, is not written to.
 */
export function appendDurably(path: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const handle = openRegular(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  try {
    if (fstatSync(handle).nlink > 1)
      throw new Failure('refused', `${readablePath(path)} has other names, so it is not only ours to write.`, {
        hint: 'It was left as it is.',
      });
    writeAll(handle, Buffer.from(text));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
