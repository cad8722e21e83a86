import { errorSentence } from '../../../platform/error-sentence.ts';
import type { SharedPart } from '../../../keeping/file-home/file-agent.ts';
import { copyRows, deleteRows, insertRows } from './move-rows.ts';
import { openDatabases, type ThreadDatabases } from './open-databases.ts';
import { packRows, unpackRows } from './row-copy.ts';

/** What threads have in the databases of a home. */
export interface ThreadRows {
  readonly part: SharedPart;
  /** Keeps the databases open, once they were needed, until it is disposed of: opening and closing them takes most of the time. */
  keepOpen(): Disposable;
}

/** `rolloutsOf` gives the ids that a thread is told under. */
export function createThreadRows(rolloutsOf: (thread: string) => readonly string[]): ThreadRows {
  let keepers = 0;
  let kept: ThreadDatabases | undefined;
  const close = () => {
    kept?.[Symbol.dispose]();
    kept = undefined;
  };
  const withDatabases = <T>(home: string, act: (all: ThreadDatabases['all']) => T): T => {
    kept ??= openDatabases(home);
    try {
      return act(kept.all);
    } finally {
      if (keepers === 0) close();
    }
  };
  return {
    keepOpen() {
      keepers += 1;
      return {
        [Symbol.dispose]() {
          keepers -= 1;
          if (keepers === 0) close();
        },
      };
    },
    part: {
      name: 'rows',
      obstacle(home) {
        try {
          return withDatabases(home, () => undefined);
        } catch (error) {
          return errorSentence(error);
        }
      },
      async copy(home, id) {
        const rows = withDatabases(home, (all) => copyRows(all, id, rolloutsOf(id)));
        return rows && packRows(rows);
      },
      async takeOut(home, _, copy) {
        withDatabases(home, (all) => deleteRows(all, unpackRows(copy)));
      },
      async putBack(home, _, copy) {
        withDatabases(home, (all) => insertRows(all, unpackRows(copy)));
      },
    },
  };
}
