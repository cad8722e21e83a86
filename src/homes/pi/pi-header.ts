import { closeSync, constants, readSync } from 'node:fs';
import { firstLines } from '../../core/sessions/first-lines.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import { openRegular } from '../../platform/files/open-regular.ts';

/** The first line of a session of pi. */
export interface PiHeader {
  readonly id: string;
  readonly version: number;
  readonly workdir?: string;
  /** The id of the one that it was forked from, which is named by the path of its file. */
  readonly parentId?: string;
}

/** Paths are the longest thing in it. */
const HEADER_BYTES = 16 * 1024;

/** Undefined for a file that pi did not write, or that is damaged where it begins. */
export function readPiHeader(path: string): PiHeader | undefined {
  const [line] = firstLines(beginningOf(path), 1);
  const id = textOf(line?.['id']);
  if (line?.['type'] !== 'session' || id === undefined) return undefined;
  const version = line['version'];
  const workdir = textOf(line['cwd']);
  const parentId = parentOf(textOf(line['parentSession']));
  return {
    id,
    // The first version did not say so.
    version: typeof version === 'number' ? version : 1,
    ...(workdir !== undefined && { workdir }),
    ...(parentId !== undefined && { parentId }),
  };
}

/** What a session is called by the name of its file, `TIME_ID.jsonl`. */
export function idOfName(name: string): string | undefined {
  return /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/.exec(name)?.[1];
}

function beginningOf(path: string): string {
  const file = openRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.allocUnsafe(HEADER_BYTES);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function parentOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : /([^_/\\]+?)(?:\.jsonl)?$/.exec(path)?.[1];
}
