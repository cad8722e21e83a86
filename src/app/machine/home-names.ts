import { basename } from 'node:path';

/** What the home of Coppice itself is called that is in use where none is named. */
export const NATIVE = 'native';

/** Whether a text can be the name of a home. A path is none, and nothing else that a shell or a person would take for more. */
export function isHomeName(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text);
}

/** A name that no other home has: that of its kind, with that of its folder where another is called so already. */
export function freeName(kind: string, path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(kind)) return kind;
  const folder = folderWord(path, kind);
  const wanted = folder === '' ? kind : `${kind}-${folder}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}

const LONGEST_WORD = 24;

/** The name of a folder is data: only what can be typed without a thought is taken of it. */
function folderWord(path: string, kind: string): string {
  const word = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, LONGEST_WORD)
    .replace(/-+$/, '');
  return word === kind ? '' : word;
}
