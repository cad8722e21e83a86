import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Found from this very folder: the program is put together in one that lies as deep (scripts/build.js).

/** What starts the program, as a path. */
export const BIN = fileURLToPath(new URL('../../bin/coppice.js', import.meta.url));

/** Where the files of the page are. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../dist/web', import.meta.url));

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
