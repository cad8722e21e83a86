import { basename, dirname, join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import { errorCode } from '../../platform/error-code.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { readRegular } from '../../platform/files/open-regular.ts';

/** Tasks that people marked to be kept. */
export interface Favourites {
  readonly ids: ReadonlySet<string>;
  /** Lists that could not be read: which tasks are marked is not known then. */
  readonly problems: readonly Problem[];
}

/**
 * Which tasks are marked stands in a list of all of them: in a file of the home, or where earlier versions kept it, in the database in
 * which the editor keeps what its extensions remember.
 */
export async function readFavourites(home: string): Promise<Favourites> {
  const ids = new Set<string>();
  const problems: Problem[] = [];
  const take = async (path: string, read: () => unknown) => {
    try {
      for (const id of markedIn(await read())) ids.add(id);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') problems.push(notKnown(path, errorText(error)));
    }
  };
  for (const path of LISTS.map((name) => join(home, name)))
    await take(path, () => JSON.parse(readRegular(path).toString()) as unknown);
  const database = join(dirname(home), 'state.vscdb');
  // A copy of a home lies anywhere, and beside it what is none of its business.
  if (basename(dirname(home)) === 'globalStorage' && isThere(database))
    await take(database, () => rememberedIn(database, basename(home)));
  return { ids, problems };
}

const LISTS = ['tasks/_index.json', 'state/taskHistory.json'];

/** A list, or an object with one in it under any of these names. */
function markedIn(value: unknown): string[] {
  if (value === undefined) return [];
  const list = isJsonObject(value) ? (value['entries'] ?? value['taskHistory'] ?? []) : value;
  if (!Array.isArray(list)) throw new TypeError('It holds no list of tasks.');
  return list.flatMap((item: unknown) =>
    isJsonObject(item) && item['isFavorited'] === true && typeof item['id'] === 'string' ? [item['id']] : [],
  );
}

async function rememberedIn(database: string, extension: string): Promise<unknown> {
  const { hasColumns, readGuest } = await import('../../platform/sqlite/guest-database.ts');
  return readGuest(database, async (guest) => {
    if (!hasColumns(guest, 'ItemTable', ['key', 'value']))
      throw new TypeError('It is in a shape that is not known here.');
    const found = guest.db
      .prepare<[string], string | Buffer>('SELECT value FROM ItemTable WHERE key = ?')
      .pluck()
      .get(extension);
    return found === undefined ? undefined : (JSON.parse(found.toString()) as unknown);
  });
}

function notKnown(path: string, why: string): Problem {
  return {
    kind: 'unreadable',
    subject: path,
    message: `${path} cannot be read, so which tasks are marked to be kept is not known: ${why}`,
    hint: 'No task is removed until it can be read.',
  };
}
