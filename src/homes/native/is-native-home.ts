import { type Dirent, opendirSync, statSync } from 'node:fs';
import { errorCode } from '../../platform/error-code.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { nativeLayout } from './native-layout.ts';

/**
 * Whether a home of Coppice is certainly at a path, by names alone: databases may be open in this process, so none is touched. A home
 * in which nothing was written yet is not certain.
 */
export function isNativeHome(path: string): boolean {
  const layout = nativeLayout(path);
  // A place with no folder is nobody else's; whoever opens it says what is wrong there.
  if (!isFolder(path)) return true;
  if (!isThere(layout.database)) return false;
  return isThere(layout.lock) || isThere(layout.live) || firstNames(layout.sessions).some(isShard);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The folders that sessions are spread over. No other agent names anything so. */
function isShard(entry: Dirent): boolean {
  return entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name);
}

/** Another agent may keep very many there, so a few have to do. */
const FEW = 16;

function firstNames(directory: string): Dirent[] {
  try {
    using folder = opened(directory);
    const names: Dirent[] = [];
    for (let entry = folder.read(); entry !== null && names.length < FEW; entry = folder.read()) names.push(entry);
    return names;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function opened(directory: string): Disposable & { read(): Dirent | null } {
  const folder = opendirSync(directory);
  return { read: () => folder.readSync(), [Symbol.dispose]: () => folder.closeSync() };
}
