import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { syncDir, writeFileAtomic } from '../../platform/files/private-files.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { fileMark } from './file-mark.ts';

// Browsers are signed in with what this key has signed, so that the daemon keeps no list of them. Whoever removes the file signs all
// of them out, whether a daemon runs or not.

const KEY_BYTES = 32;
const SHAPE = /^[\w-]{43}\n$/;

/** The key of a home, as it is on the disk now. */
export interface PageKey {
  /** Undefined where nobody ever signed in, or everybody was signed out. */
  current(): Buffer | undefined;
  /** The same, made where there is none. */
  make(): Buffer;
}

export function createPageKey(homePath: string): PageKey {
  const path = nativeLayout(homePath).pageKey;
  let known: { readonly mark: string; readonly key: Buffer | undefined } | undefined;
  const current = (): Buffer | undefined => {
    const mark = fileMark(path);
    if (mark === undefined) return undefined;
    if (known?.mark !== mark) known = { mark, key: read(path) };
    return known.key;
  };
  return {
    current,
    make() {
      const there = current();
      if (there !== undefined) return there;
      const key = randomBytes(KEY_BYTES);
      writeFileAtomic(path, `${key.toString('base64url')}\n`);
      return key;
    },
  };
}

/** Signs every browser out. Says whether any could have been signed in. */
export function signOutBrowsers(homePath: string): boolean {
  const path = nativeLayout(homePath).pageKey;
  const wasThere = fileMark(path) !== undefined;
  removeBelow(homePath, [path]);
  syncDir(dirname(path));
  return wasThere;
}

/** What is no key opens nothing, and is replaced by whoever signs in next. */
function read(path: string): Buffer | undefined {
  try {
    const text = readRegular(path).toString();
    return SHAPE.test(text) ? Buffer.from(text.trim(), 'base64url') : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
