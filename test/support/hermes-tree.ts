import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every byte and every time of change of a tree, side files of databases included, as text that can be compared. Nothing may have it open. */
export function treeState(root: string): string[] {
  const names = ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()];
  return names.map((name) => {
    const path = join(root, name);
    const stat = lstatSync(path, { bigint: true });
    const content = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
    return [name, stat.mode, stat.ino, stat.size, stat.mtimeNs, content].join(' ');
  });
}

/** The files of a tree, relative to it. */
export function treeFiles(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
