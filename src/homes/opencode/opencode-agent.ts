import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import { whyUnread } from '../../keeping/row-home/why-unread.ts';
import { damagedPages } from '../../platform/sqlite/damaged-pages.ts';
import { readGuest } from '../../platform/sqlite/guest-database.ts';
import { watchDatabases } from './database-in-use.ts';
import { opencodeDatabases } from './opencode-places.ts';
import { opencodeRows } from './opencode-rows.ts';
import { sortOpencode } from './sort-opencode.ts';

/** opencode: its sessions are rows of a database, which its own command removes. It leaves files of them behind, and those may go. */
export function opencodeAgent(): FileAgent {
  return {
    name: 'opencode',
    agent: 'opencode',
    rows: opencodeRows,
    format: async () => (await import('./opencode-format.ts')).opencodeFormat,
    sort: sortOpencode,
    describe: async (_, { id }) => ({ id }),
    async guard(home, now) {
      // Rows that a damaged database does not show would make leftovers of what they name.
      const damage = await damageIn(home);
      const busy = watchDatabases(home, now);
      return {
        obstacle: () => 'Only opencode can remove it.',
        strayObstacle: () => damage ?? busy(),
        [Symbol.dispose]: () => undefined,
      };
    },
  };
}

async function damageIn(home: string): Promise<string | undefined> {
  for (const path of opencodeDatabases(home)) {
    try {
      const [line] = await readGuest(path, async ({ db }) => damagedPages(db));
      if (line !== undefined) return `The database of opencode is damaged: ${line}.`;
    } catch (error) {
      return `The database of opencode cannot be read. ${whyUnread(error)}`;
    }
  }
  return undefined;
}
