import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileTestedHome } from '../../../test/support/file-home-conformance.ts';
import { dumpFileHome, FILE_NOW, putFile } from '../../../test/support/file-home-scene.ts';
import {
  changeDatabase,
  GONE_PROJECT,
  LONG_AGO,
  PROJECT,
  putDatabase,
  putMessage,
  putSession,
  putStore,
} from '../../../test/support/opencode-home.ts';
import { buildOpencode, LEFT_OUTPUT, LEFT_OVER, opencodeScene } from '../../../test/support/opencode-scene.ts';
import { DAY_MS } from '../../core/time.ts';
import { allSkipped } from '../../kit/homes/outcomes.ts';
import { removals, RUN } from '../tested-home.conformance.ts';
import { opencodeKind } from './opencode-kind.ts';

afterEach(() => vi.unstubAllEnvs());

/** What may go of a home in which one thing is different. */
async function leftIn(change: (home: string) => void, { inLog = false } = {}) {
  const build = (home: string) => {
    buildOpencode(home, { inLog });
    change(home);
  };
  await using home = await fileTestedHome(opencodeKind, { ...opencodeScene, build });
  const before = dumpFileHome(home.path);
  const { strays, problems, doubts } = await home.driver.scan();
  expect(dumpFileHome(home.path)).toEqual(before);
  return { paths: strays.map(({ id }) => id).toSorted(), problems, doubts };
}

async function pathsIn(change: (home: string) => void) {
  return (await leftIn(change)).paths;
}

const but = (...paths: string[]) => LEFT_OVER.filter((path) => !paths.includes(path));

describe('what is left over in a home of opencode', () => {
  it('is told by what the log of its database says, too', async () => {
    expect((await leftIn(() => undefined, { inLog: true })).paths).toEqual(LEFT_OVER);
    const write = (home: string) => changeDatabase(home, (db) => putSession(db, { id: 'ses_deleted', at: LONG_AGO }));
    expect(await pathsIn(write)).toEqual(but('storage/session_diff/ses_deleted.json'));
  });

  it('is no output that any part names, in a session that is there or of one whose row is gone', async () => {
    const named = but(`tool-output/${LEFT_OUTPUT}`);
    const says = (home: string) =>
      changeDatabase(home, (db) =>
        putMessage(db, 'ses_plain', { id: 'msg_x', at: LONG_AGO, text: `see ${LEFT_OUTPUT}.` }),
      );
    expect(await pathsIn(says)).toEqual(named);
    const orphaned = (home: string) =>
      changeDatabase(home, (db) => {
        db.pragma('foreign_keys = OFF');
        putMessage(db, 'ses_lost', { id: 'msg_y', at: LONG_AGO, role: 'assistant', outputs: [LEFT_OUTPUT] });
      });
    expect(await pathsIn(orphaned)).toEqual(named);
  });

  it('is no output that an event or another channel names', async () => {
    const named = but(`tool-output/${LEFT_OUTPUT}`);
    const event = (home: string) =>
      changeDatabase(home, (db) => {
        db.exec("INSERT INTO event_sequence VALUES ('ses_plain', 1)");
        db.prepare("INSERT INTO event VALUES ('evt_1', 'ses_plain', 1, ?)").run(JSON.stringify({ path: LEFT_OUTPUT }));
      });
    expect(await pathsIn(event)).toEqual(named);
    const messages = [{ id: 'msg_z', at: LONG_AGO, role: 'assistant', outputs: [LEFT_OUTPUT] }] as const;
    const beta = (home: string) =>
      putDatabase(home, {
        name: 'opencode-beta.db',
        write: (db) => putSession(db, { id: 'ses_beta', at: LONG_AGO, messages }),
      });
    expect(await pathsIn(beta)).toEqual(named);
  });

  it('is no store of a project, or of a folder, that a row knows', async () => {
    const kept = but(`snapshot/${GONE_PROJECT}`);
    const project = (home: string) =>
      changeDatabase(home, (db) => db.prepare("INSERT INTO project VALUES (?, '/', 'git', 1, '[]')").run(GONE_PROJECT));
    expect(await pathsIn(project)).toEqual(kept);
    const folder = (home: string) =>
      changeDatabase(home, (db) => putSession(db, { id: 'ses_there', directory: '/home/ada/gone', at: LONG_AGO }));
    expect(await pathsIn(folder)).toEqual(kept);
    const older = (home: string) => putFile(home, `storage/session/${GONE_PROJECT}/ses_older.json`, '{}', LONG_AGO);
    expect(await pathsIn(older)).toEqual(kept);
  });

  it('is no store that git works in, that was written to within a day, or that does not say of which folder it is', async () => {
    const kept = but(`snapshot/${GONE_PROJECT}`);
    const store = `snapshot/${GONE_PROJECT}/${'c'.repeat(40)}`;
    expect(await pathsIn((home) => putFile(home, `${store}/gc.pid`, '4711 host', LONG_AGO))).toEqual(kept);
    expect(await pathsIn((home) => putFile(home, `${store}/objects/new`, 'x', FILE_NOW - DAY_MS / 2))).toEqual(kept);
    expect(await pathsIn((home) => putFile(home, `${store}/config`, '[core]\n', LONG_AGO))).toEqual(kept);
    expect(await pathsIn((home) => symlinkSync('/home/ada', join(home, store, 'linked')))).toEqual(kept);
  });

  it('is no output and no change of a session while talks of older versions are there that nobody reads', async () => {
    const older = (home: string) => {
      putFile(home, 'storage/part/msg_1/prt_1.json', '{}', LONG_AGO);
      putFile(home, 'storage/session/global/ses_deleted.json', '{}', LONG_AGO);
    };
    expect(await pathsIn(older)).toEqual(but(`tool-output/${LEFT_OUTPUT}`, 'storage/session_diff/ses_deleted.json'));
  });

  it('is nothing where no session is, as in a database that was lost and begun anew', async () => {
    const lost = (home: string) => {
      rmSync(join(home, 'opencode.db'));
      putDatabase(home, { write: () => undefined });
    };
    expect(await pathsIn(lost)).toEqual([]);
  });

  it.each([
    ['has a newer schema', 'schema-newer', "INSERT INTO migration VALUES ('20270101000000_new', 1)"],
    ['does not say which schema it has', 'schema-unknown', 'DELETE FROM migration'],
    ['lacks a table', 'schema-incomplete', 'DROP TABLE migration'],
    ['lacks a column', 'schema-incomplete', 'ALTER TABLE part RENAME COLUMN data TO content'],
    [
      'has an unknown table about sessions',
      'schema-unknown-part',
      'CREATE TABLE note (id, of text REFERENCES session(id))',
    ],
  ])('is nothing where the database %s, and the home is only shown', async (_, kind, sql) => {
    const { paths, problems, doubts } = await leftIn((home) => changeDatabase(home, (db) => db.exec(sql)));
    expect(paths).toEqual([]);
    expect(problems.map((problem) => problem.kind)).toContain(kind);
    expect(doubts).toEqual(['activity-unknown']);
  });

  it('is what it is beside tables that have nothing to do with sessions, and new columns', async () => {
    const sql =
      'CREATE TABLE mine (id); ALTER TABLE session ADD COLUMN colour text; CREATE VIEW seen AS SELECT id FROM session';
    expect(await pathsIn((home) => changeDatabase(home, (db) => db.exec(sql)))).toEqual(LEFT_OVER);
  });

  it('is nothing where one of its databases cannot be read, is a link, or is elsewhere', async () => {
    const damaged = (home: string) =>
      putFile(home, 'opencode-beta.db', 'no database at all, but long enough', LONG_AGO);
    const unread = await leftIn(damaged);
    expect(unread.paths).toEqual([]);
    expect(unread.problems.map(({ kind }) => kind)).toContain('database-unreadable');
    expect(await pathsIn((home) => symlinkSync('/nowhere.db', join(home, 'opencode-beta.db')))).toEqual([]);
    vi.stubEnv('OPENCODE_DB', '/srv/other/opencode.db');
    const elsewhere = await leftIn(() => undefined);
    expect(elsewhere.paths).toEqual([]);
    expect(elsewhere.problems.map(({ kind }) => kind)).toContain('database-elsewhere');
  });
});

describe('while a process has the database of opencode open', () => {
  async function holding(path: string, how?: string) {
    const holder = fork(
      join(import.meta.dirname, '../../../test/support/hold-database.js'),
      how ? [path, how] : [path],
    );
    await once(holder, 'message');
    return {
      async [Symbol.asyncDispose]() {
        holder.disconnect();
        await once(holder, 'exit');
      },
    };
  }

  const aged = (path: string) => {
    for (const suffix of ['', '-wal', '-shm'])
      if (statSync(path + suffix, { throwIfNoEntry: false }))
        utimesSync(path + suffix, LONG_AGO / 1000, LONG_AGO / 1000);
  };

  it.runIf(process.platform === 'linux')('nothing is left over, and nothing that was planned before goes', async () => {
    await using home = await fileTestedHome(opencodeKind, opencodeScene);
    const items = await removals(home);
    expect(items.length).toBe(LEFT_OVER.length);
    const path = join(home.path, 'opencode.db');
    const before = dumpFileHome(home.path).filter((line) => !line.startsWith('opencode.db'));
    {
      await using _holder = await holding(path);
      aged(path);
      expect((await home.driver.scan()).strays).toEqual([]);
      allSkipped(await home.driver.discard(RUN, items), items);
    }
    expect(dumpFileHome(home.path).filter((line) => !line.startsWith('opencode.db'))).toEqual(before);
  });

  it.runIf(process.platform === 'linux')(
    'what was used within a day, or waits for an answer, counts as in use',
    async () => {
      const build = (home: string) => {
        buildOpencode(home, { inLog: false });
        changeDatabase(home, (db) => {
          putSession(db, { id: 'ses_today', at: FILE_NOW - DAY_MS / 2 });
          const messages = [{ id: 'msg_waits', at: LONG_AGO, role: 'assistant' as const }];
          putSession(db, { id: 'ses_waits', at: LONG_AGO, messages });
        });
      };
      await using home = await fileTestedHome(opencodeKind, { ...opencodeScene, build });
      await using _holder = await holding(join(home.path, 'opencode.db'));
      const { sessions } = await home.driver.scan();
      const active = sessions.filter((session) => session.active).map(({ id }) => id);
      expect(active.toSorted()).toEqual(['ses_today', 'ses_waits']);
    },
  );

  it.runIf(process.platform === 'linux')('and lets nobody in, nothing is left over', async () => {
    await using home = await fileTestedHome(opencodeKind, opencodeScene);
    const path = join(home.path, 'opencode.db');
    await using _holder = await holding(path, 'locked');
    aged(path);
    expect((await home.driver.scan()).strays).toEqual([]);
  });

  it('and wrote to it within a day where nobody can tell, nothing is left over', async () => {
    const build = (home: string) => {
      buildOpencode(home, { inLog: false });
      writeFileSync(join(home, 'opencode.db-wal'), '');
      utimesSync(join(home, 'opencode.db-wal'), FILE_NOW / 1000, FILE_NOW / 1000);
    };
    await using home = await fileTestedHome(opencodeKind, { ...opencodeScene, build });
    const { databaseInUse } = await import('./database-in-use.ts');
    const why = databaseInUse(home.path, FILE_NOW);
    // Whoever may look at every process knows that nobody has it open.
    expect([undefined, 'opencode was used within a day, and nobody can tell whether it still is.']).toContain(why);
    expect(databaseInUse(home.path, FILE_NOW + 2 * DAY_MS)).toBeUndefined();
  });
});

describe('a store of snapshots', () => {
  it('comes back as it was, with its empty folders', async () => {
    await using home = await fileTestedHome(opencodeKind, opencodeScene);
    const before = dumpFileHome(home.path);
    const store = (await removals(home)).find(({ item }) => item.id === `snapshot/${GONE_PROJECT}`);
    if (store === undefined) throw new Error('the store is not left over');
    await home.driver.discard(RUN, [store]);
    putStore(home.path, PROJECT, { worktree: '/home/ada/work' });
    expect(dumpFileHome(home.path)).not.toEqual(before);
    await home.driver.restore(RUN, [store]);
    expect(dumpFileHome(home.path)).toEqual(before);
    expect(statSync(join(home.path, store.item.id, 'c'.repeat(40), 'refs')).isDirectory()).toBe(true);
  });
});
