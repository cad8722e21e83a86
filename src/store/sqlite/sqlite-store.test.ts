import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkProblems, collect, messagesOf, user } from '../../../test/support/collect.ts';
import { nativeStorePlace, openNativeStore } from '../../../test/support/native-store.ts';
import { NO_FILES, trashRequest } from '../../../test/support/remove-sessions.ts';
import { runKit } from '../../../test/support/run-kit.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { sessionStoreCases } from '../../kit/store/session-store-cases.ts';
import { openConnection } from './database/connection.ts';
import { SCHEMA_VERSION } from './schema/migrations.ts';

runKit('the SQLite store', sessionStoreCases, nativeStorePlace);

/** Looks at a database without the store. */
function withDatabase<T>(root: string, use: (db: BetterSqlite3.Database) => T): T {
  const db = new BetterSqlite3(join(root, 'state.db'));
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** Runs a store just long enough to put one session with a few messages into it. */
async function fill(root: string): Promise<void> {
  await using store = await openNativeStore(root);
  await store.create({ id: 's', source: 'cli', title: 'a title' });
  await store.append(
    's',
    Array.from({ length: 200 }, (_, index) => user(`message ${index} about splines`)),
  );
}

describe('the database file', () => {
  it.each([0o000, 0o022, 0o077, 0o777])('is for its owner only, whatever the umask (%o)', async (mask) => {
    const root = tempDir();
    const before = process.umask(mask);
    try {
      await using store = await openNativeStore(root);
      await store.setMeta('key', 'value');
      const modes = ['state.db', 'state.db-wal', 'state.db-shm'].map((name) => statSync(join(root, name)).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  it('is in WAL mode, gives pages back in steps, and carries its mark and version', async () => {
    const root = tempDir();
    await fill(root);
    const pragmas = withDatabase(root, (db) =>
      ['journal_mode', 'auto_vacuum', 'application_id', 'user_version'].map((name) =>
        db.pragma(name, { simple: true }),
      ),
    );
    expect(pragmas).toEqual(['wal', 2, 0x636f7070, SCHEMA_VERSION]);
  });

  it('is written through to the disk with every commit, and references hold', async () => {
    using connection = await openConnection(join(tempDir(), 'state.db'));
    const pragmas = ['synchronous', 'foreign_keys'].map((name) => connection.raw.pragma(name, { simple: true }));
    expect(pragmas).toEqual([2, 1]);
  });

  it('leaves no other files behind when it is closed', async () => {
    const root = tempDir();
    await fill(root);
    expect(readdirSync(root).toSorted()).toEqual(['sessions', 'state.db']);
  });

  it('takes an empty file for a new database', async () => {
    const root = tempDir();
    writeFileSync(join(root, 'state.db'), '');
    await fill(root);
    await using store = await openNativeStore(root);
    expect(await store.get('s')).toMatchObject({ messageCount: 200 });
  });

  it('says which folder is missing', async () => {
    const root = join(tempDir(), 'nowhere');
    await expect(openNativeStore(root)).rejects.toMatchObject({ name: 'Failure', code: 'not-found' });
  });

  it('refuses a folder in the place of the database', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'state.db'));
    await expect(openNativeStore(root)).rejects.toMatchObject({ name: 'Failure', code: 'refused' });
  });
});

describe('a file that is not a Coppice database of this version', () => {
  it('is refused and left as it is when a newer Coppice wrote it', async () => {
    const root = tempDir();
    await fill(root);
    withDatabase(root, (db) => db.pragma(`user_version = ${SCHEMA_VERSION + 1}`));
    await expectRefusal(root);
  });

  it('is refused and left as it is when another program wrote it', async () => {
    const root = tempDir();
    withDatabase(root, (db) => db.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)'));
    await expectRefusal(root);
    expect(withDatabase(root, (db) => db.pragma('journal_mode', { simple: true }))).toBe('delete');
  });

  it('is refused and left as it is when another program marked it', async () => {
    const root = tempDir();
    withDatabase(root, (db) => db.pragma('application_id = 7'));
    await expectRefusal(root);
  });

  it.each([
    ['text', Buffer.from('this is not a database\n'.repeat(100))],
    ['a few bytes', Buffer.from('short')],
    ['zeros', Buffer.alloc(8192)],
  ])('is refused and left as it is when it holds %s', async (_what, bytes) => {
    const root = tempDir();
    writeFileSync(join(root, 'state.db'), bytes);
    await expectRefusal(root);
  });

  it('is refused and left as it is when its schema page is damaged', async () => {
    const root = tempDir();
    await fill(root);
    overwrite(join(root, 'state.db'), 100, Buffer.alloc(200, 0xff));
    await expectRefusal(root);
  });
});

describe('several openings', () => {
  it('makes one database when many processes open a home that is not there', async () => {
    const root = tempDir();
    const script = fileURLToPath(new URL('../../../test/support/open-and-append.js', import.meta.url));
    const names = ['one', 'two', 'three', 'four'];
    const exits = await Promise.all(
      names.map(async (name) => {
        const child = spawn(process.execPath, [script, root, name], { stdio: ['ignore', 'ignore', 'inherit'] });
        const [code] = (await once(child, 'exit')) as [number | null];
        return code;
      }),
    );
    expect(exits).toEqual([0, 0, 0, 0]);
    await using store = await openNativeStore(root);
    for (const name of names) {
      expect((await messagesOf(store, name)).map(({ content }) => content)).toEqual(['1', '2', '3']);
    }
    expect(await checkProblems(store)).toEqual([]);
    expect(withDatabase(root, (db) => db.pragma('auto_vacuum', { simple: true }))).toBe(2);
  });

  it('frees an id as soon as its session is out of sight', async () => {
    const root = tempDir();
    await fill(root);
    await using store = await openNativeStore(root);
    await store.end('s', 'done');
    const request = await trashRequest(store, 's');
    const [, created] = await Promise.all([
      store.trash.hide('run', [request], { files: NO_FILES, deadHolders: [] }),
      store.create({ id: 's', source: 'cli', title: 'new' }),
    ]);
    await store.trash.drop('run', [request]);
    expect(await store.get('s')).toEqual(created);
    expect(await messagesOf(store, 's')).toEqual([]);
    expect(await checkProblems(store)).toEqual([]);
  });

  it('finishes a removal that an earlier version began, and touches nothing else', async () => {
    const root = tempDir();
    await fill(root);
    withDatabase(root, (db) => db.exec(`UPDATE sessions SET state = 'removing', id = char(1) || key`));
    await using store = await openNativeStore(root);
    await store.create({ id: 's', source: 'cli' });
    await store.repair.removals();
    expect(withDatabase(root, (db) => db.prepare('SELECT count(*) FROM messages').pluck().get())).toBe(0);
    expect(await store.get('s')).toMatchObject({ messageCount: 0 });
    expect(await checkProblems(store)).toEqual([]);
  });
});

describe('a check', () => {
  it('finds a word that is missing from the index', async () => {
    expect(
      await kindsAfter(
        `INSERT INTO message_words (message_words, rowid, text) SELECT 'delete', id, text FROM messages LIMIT 1`,
      ),
    ).toEqual(['index-wrong']);
  });

  it('finds a part of a word that is missing from the index', async () => {
    expect(
      await kindsAfter(
        `INSERT INTO message_parts (message_parts, rowid, text) SELECT 'delete', id, text FROM message_part_text LIMIT 1`,
      ),
    ).toEqual(['index-wrong']);
  });

  it('finds a title that the index does not know', async () => {
    expect(await kindsAfter(`DROP TRIGGER session_retitled; UPDATE sessions SET title = 'something else'`)).toEqual([
      'index-wrong',
    ]);
  });

  it('finds a count that is wrong', async () => {
    expect(await kindsAfter('UPDATE sessions SET message_count = 7')).toEqual(['count-wrong']);
    expect(await kindsAfter('UPDATE sessions SET output_count = 1')).toEqual(['count-wrong']);
  });

  it('finds a message that vanished', async () => {
    expect(await kindsAfter('DELETE FROM messages WHERE seq = 3')).toEqual(['count-wrong']);
  });

  it('finds messages of a session that does not exist', async () => {
    expect(await kindsAfter('DELETE FROM sessions')).toContain('reference-broken');
  });

  it.each(['messages', 'messages_in_order', 'sessions', 'leases', 'usage', 'message_words_data', 'message_parts_idx'])(
    'finds bytes that flipped on the disk, in %s',
    async (table) => {
      const root = tempDir();
      await fill(root);
      const page = withDatabase(root, (db) =>
        Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table)),
      );
      overwrite(join(root, 'state.db'), (page - 1) * 4096, Buffer.alloc(64, 0xa5));
      await using store = await openNativeStore(root);
      const kinds = (await checkProblems(store)).map(({ kind }) => kind);
      expect(kinds).toContain('database-damaged');
    },
  );

  it('changes nothing and leaves nothing behind', async () => {
    const root = tempDir();
    await fill(root);
    await using store = await openNativeStore(root);
    const before = await messagesOf(store, 's');
    await collect(store.check());
    expect(await messagesOf(store, 's')).toEqual(before);
    expect(readdirSync(root).filter((name) => !name.startsWith('state.db'))).toEqual(['sessions']);
  });
});

/** Opening it must fail, and leave every byte as it was. */
async function expectRefusal(root: string): Promise<void> {
  const before = readFileSync(join(root, 'state.db'));
  await expect(openNativeStore(root)).rejects.toMatchObject({ name: 'Failure', code: 'integrity' });
  expect(readFileSync(join(root, 'state.db')).equals(before)).toBe(true);
}

/** The kinds of problems that a check finds after something was done to the database behind its back. */
async function kindsAfter(damage: string): Promise<string[]> {
  const root = tempDir();
  await fill(root);
  withDatabase(root, (db) => {
    db.pragma('foreign_keys = OFF');
    db.exec(damage);
  });
  await using store = await openNativeStore(root);
  const kinds = new Set((await checkProblems(store)).map(({ kind }) => kind));
  return [...kinds];
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const handle = openSync(path, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}
