import { join } from 'node:path';
import type { Problem } from '../../../core/problem.ts';
import { errorText } from '../../../core/error-text.ts';
import { isThere } from '../../../platform/files/is-there.ts';
import { hasColumns, readGuest } from '../../../platform/sqlite/guest-database.ts';
import { DATABASES, fileOf } from './known-tables.ts';

export interface PinnedThreads {
  readonly ids: ReadonlySet<string>;
  /** Why it is not known which threads are pinned. */
  readonly problems: readonly Problem[];
}

/** The threads that somebody pinned in Codex, which nothing but its database tells. */
export async function pinnedThreads(home: string): Promise<PinnedThreads> {
  const file = DATABASES.filter(({ name }) => name === 'state')
    .map(fileOf)
    .join();
  const path = join(home, file);
  if (!isThere(path)) return { ids: new Set(), problems: [] };
  try {
    const ids = await readGuest(path, async (guest) => {
      // Earlier versions know no pins.
      if (!hasColumns(guest, 'threads', ['id', 'is_pinned'])) return [];
      return guest.db.prepare<[], string>('SELECT id FROM threads WHERE is_pinned <> 0').pluck().all();
    });
    return { ids: new Set(ids), problems: [] };
  } catch (error) {
    const message = `${file} cannot be read, so which threads are pinned is not known: ${errorText(error)}`;
    const hint = 'Nothing of this home is removed until it can be read.';
    return { ids: new Set(), problems: [{ kind: 'unreadable', subject: file, message, hint }] };
  }
}
