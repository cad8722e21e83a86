import { join } from 'node:path';
import { listNames } from '../../platform/files/list-names.ts';

/** Each channel of opencode has a database of its own, such as `opencode-beta.db`. They share everything else. */
export function isDatabaseName(name: string): boolean {
  return /^opencode(?:-[\w.-]+)?\.db$/.test(name);
}

/** The databases in a home, that of the stable channel first. */
export function opencodeDatabases(home: string): readonly string[] {
  const names = listNames(home).filter(isDatabaseName);
  const stable = 'opencode.db';
  return names
    .toSorted((a, b) => Number(b === stable) - Number(a === stable) || (a < b ? -1 : 1))
    .map((name) => join(home, name));
}
