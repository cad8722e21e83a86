import fs from 'node:fs';

/** Where a path leads that goes through an open folder, by its name; any other path as it is. */
export function namedPath(path: unknown): string {
  const [, handle, rest = ''] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/.exec(String(path)) ?? [];
  if (handle === undefined) return String(path);
  return `${fs.readlinkSync(handle)}${rest}`;
}
