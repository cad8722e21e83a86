import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { Use } from '../../src/core/sessions/in-use.ts';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import type { TestedHome } from '../../src/homes/tested-home.conformance.ts';
import { dumpHermes, hermesProblems } from './hermes-dump.ts';
import { dieAtChange } from './hermes-faults.ts';
import { HERMES_NOW } from './hermes-home.ts';

export interface HermesTemplate {
  /** A home that is copied for each test, into the directory in which it is. */
  readonly path: string;
  readonly removable: readonly string[];
  readonly held: readonly string[];
  readonly words: readonly string[];
}

/** How Hermes shows each use of a session. */
const USES: Readonly<Record<Use, (db: Database, id: string) => void>> = {
  active: (db, id) =>
    db.prepare(`INSERT OR REPLACE INTO compression_locks VALUES (?, 'pid=1', 0, ?)`).run(id, HERMES_NOW / 1000 + 60),
  routed: (db, id) =>
    db.prepare(`INSERT INTO gateway_routing VALUES ('x', 'k', ?, 1)`).run(JSON.stringify({ session_id: id })),
  open: (db, id) => db.prepare('UPDATE sessions SET ended_at = NULL WHERE id = ?').run(id),
};

/** A copy of a Hermes home, for one test. */
export function copyHermes({ path, removable, held, words }: HermesTemplate): TestedHome & { readonly home: string } {
  const root = mkdtempSync(join(dirname(path), 'coppice-hermes-'));
  const home = join(root, 'hermes');
  cpSync(path, home, { recursive: true, preserveTimestamps: true });
  const open = () =>
    createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion: nativeLayout(join(home, '.coppice')) });
  return {
    home,
    driver: open(),
    removable,
    held,
    dump: async () => dumpHermes(home, words),
    problems: async () => hermesProblems(home),
    async change(id) {
      const db = new BetterSqlite3(join(home, 'state.db'));
      db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'one more', ?)`).run(
        id,
        HERMES_NOW / 1000,
      );
      db.close();
    },
    async use(id, use) {
      const db = new BetterSqlite3(join(home, 'state.db'));
      USES[use](db, id);
      db.close();
    },
    dieAt: (change, step) => dieAtChange(change, () => step(open())),
    async [Symbol.asyncDispose]() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}
