import { createHash } from 'node:crypto';
import { basename, dirname, extname, resolve } from 'node:path';
import { fitLine } from './fit-line.ts';

/** Names that every program gives to its files; the folder says more. */
const GENERIC_NAMES = new Set([
  'transcript',
  'session',
  'messages',
  'chat',
  'history',
  'conversation',
  'events',
  'log',
]);

/** An id for what has none of its own: the name of the file, told apart from others of that name by where it lies. */
export function pathId(path: string): string {
  const full = resolve(path);
  const stem = basename(full, extname(full));
  const name = GENERIC_NAMES.has(stem.toLowerCase()) ? basename(dirname(full)) || stem : stem;
  const place = createHash('sha256').update(full).digest('hex').slice(0, 8);
  return `${fitLine(name, MAX_NAME) ?? 'import'}-${place}`;
}

const MAX_NAME = 100;
