import fs, { type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { Content, Disk, DiskEvent, DiskLog, Inode, NameChange } from './disk-log.ts';
import { namedPath } from './named-path.ts';

export interface RecorderOptions {
  /** Syncs of these paths, relative to the home, count for nothing, as if the call were not there. */
  readonly ignoresSync?: (path: string) => boolean;
}

type Call = (...args: unknown[]) => unknown;

/** Writes down everything that this process does to the files of a home, and every commit of its database. */
export class DiskRecorder implements Disposable {
  readonly #home: string;
  readonly #reader: Database;
  readonly #before: Disk;
  readonly #database: Uint8Array;
  readonly #folders = new Map<Inode, Map<string, Inode>>();
  readonly #contents = new Map<Inode, Content>();
  readonly #events: DiskEvent[] = [];
  readonly #open = new Map<number, { readonly inode: Inode; readonly path: string }>();
  readonly #ignoresSync: (path: string) => boolean;
  #inodes = 0;
  #version: unknown;

  constructor(home: string, { ignoresSync = () => false }: RecorderOptions = {}) {
    this.#home = home;
    this.#ignoresSync = ignoresSync;
    this.#reader = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
    this.#version = this.#reader.pragma('data_version', { simple: true });
    this.#database = this.#reader.serialize();
    const root = this.#load(home);
    const folders = new Map([...this.#folders].map(([at, names]) => [at, new Map(names)]));
    this.#before = { root, contents: new Map(this.#contents), folders };
  }

  /** Carries out an act, with no transaction open before it, and returns what it did. */
  async record(act: () => Promise<unknown>): Promise<DiskLog> {
    // Loads what it removes folders with, which would otherwise keep the calls as they are while they are watched.
    fs.rmSync(join(this.#home, 'no such folder'), { recursive: true, force: true });
    const calls = fs as unknown as Record<string, Call>;
    const real = new Map<string, Call>();
    const { open, unlink, rmdir } = fs.promises;
    const thenGone = (remove: typeof unlink) => async (path: fs.PathLike) => {
      await remove(path);
      this.#noteCommit();
      this.#noteGone(namedPath(path));
    };
    Object.assign(fs.promises, { unlink: thenGone(unlink), rmdir: thenGone(rmdir) });
    fs.promises.open = async (...args) => this.#watchHandle(namedPath(args[0]), await open(...args));
    for (const [name, watch] of Object.entries(this.#watches())) {
      const call = calls[name];
      if (call === undefined) throw new Error(`no ${name}`);
      real.set(name, call);
      calls[name] = (...args) => {
        this.#noteCommit();
        return watch(args, () => call(...args));
      };
    }
    syncBuiltinESMExports();
    try {
      await act();
    } finally {
      for (const [name, call] of real) calls[name] = call;
      Object.assign(fs.promises, { open, unlink, rmdir });
      syncBuiltinESMExports();
    }
    this.#noteCommit();
    const folders = new Set(this.#folders.keys());
    return { before: this.#before, database: this.#database, events: this.#events, folders };
  }

  /** Asked before every call: what was committed since the last one is an event of its own. */
  #noteCommit(): void {
    const version = this.#reader.pragma('data_version', { simple: true });
    if (version === this.#version) return;
    this.#version = version;
    this.#events.push({ kind: 'commit', database: this.#reader.serialize(), what: 'a commit' });
  }

  /** Says that everything that was committed until now is on the disk. */
  settled(): void {
    this.#noteCommit();
    this.#events.push({ kind: 'settled', what: 'the database is on the disk' });
  }

  [Symbol.dispose](): void {
    this.#reader.close();
  }

  #watches(): Readonly<Record<string, (args: unknown[], call: () => unknown) => unknown>> {
    const then = (note: (args: unknown[]) => void) => (args: unknown[], call: () => unknown) => {
      const result = call();
      note(args);
      return result;
    };
    const ofHandle = then(([fd]) => this.#noteHandle(fd as number));
    const ofPath = then(([path]) => this.#noteContent(namedPath(path)));
    return {
      openSync: (args, call) => this.#noteOpen(namedPath(args[0]), call),
      closeSync: then(([fd]) => void this.#open.delete(fd as number)),
      writeSync: ofHandle,
      writeFileSync: ofHandle,
      appendFileSync: ofHandle,
      ftruncateSync: ofHandle,
      fchmodSync: ofHandle,
      futimesSync: ofHandle,
      chmodSync: ofPath,
      utimesSync: ofPath,
      fsyncSync: then(([fd]) => this.#noteSync(fd as number)),
      mkdirSync: then(([path]) => this.#noteNew(namedPath(path))),
      rmdirSync: then(([path]) => this.#noteGone(namedPath(path))),
      unlinkSync: then(([path]) => this.#noteGone(namedPath(path))),
      rmSync: then(([path]) => this.#noteGone(namedPath(path))),
      renameSync: then(([from, to]) => this.#noteRename(namedPath(from), namedPath(to))),
    };
  }

  #noteOpen(path: string, call: () => unknown): unknown {
    const isNew = this.#find(path) === undefined;
    const fd = call() as number;
    this.#open.delete(fd);
    if (!this.#isWatched(path)) return fd;
    if (isNew) this.#noteNew(path);
    const inode = this.#find(path);
    if (inode !== undefined) this.#open.set(fd, { inode, path });
    return fd;
  }

  #noteHandle(fd: number): void {
    const file = this.#open.get(fd);
    if (file !== undefined) this.#noteContent(file.path);
  }

  #noteContent(path: string): void {
    const inode = this.#find(path);
    const content = inode === undefined ? undefined : contentOf(path);
    if (inode === undefined || content === undefined || isDeepStrictEqual(content, this.#contents.get(inode))) return;
    this.#contents.set(inode, content);
    this.#events.push({ kind: 'content', inode, content, what: `content of ${this.#name(path)}` });
  }

  #noteSync(fd: number): void {
    const file = this.#open.get(fd);
    if (file === undefined || this.#ignoresSync(this.#name(file.path))) return;
    this.#events.push({ kind: 'sync', inode: file.inode, what: `sync of ${this.#name(file.path)}` });
  }

  #watchHandle(path: string, handle: FileHandle): FileHandle {
    const inode = this.#find(path);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      await sync();
      if (inode !== undefined && !this.#ignoresSync(this.#name(path)))
        this.#events.push({ kind: 'sync', inode, what: `sync of ${this.#name(path)}` });
    };
    return handle;
  }

  #noteNew(path: string): void {
    if (!this.#isWatched(path)) return;
    const inode = this.#newInode(fs.lstatSync(path, { bigint: true }).isDirectory());
    this.#change(`new ${this.#name(path)}`, [this.#nameChange(path, inode)]);
    this.#noteContent(path);
  }

  /** What is in a folder goes before it, one name after the other. */
  #noteGone(path: string): void {
    const inode = this.#find(path);
    if (inode === undefined) return;
    const names = Array.from(this.#folders.get(inode)?.keys() ?? []);
    for (const name of names) this.#noteGone(join(path, name));
    this.#change(`gone ${this.#name(path)}`, [this.#nameChange(path)]);
  }

  #noteRename(from: string, to: string): void {
    const inode = this.#find(from);
    if (inode === undefined) throw new Error(`${from} came from outside`);
    const what = `${this.#name(from)} to ${this.#name(to)}`;
    this.#change(what, [this.#nameChange(from), this.#nameChange(to, inode)]);
  }

  #change(what: string, changes: readonly NameChange[]): void {
    for (const { folder, name, inode } of changes) {
      if (inode === undefined) this.#folders.get(folder)?.delete(name);
      else this.#folders.get(folder)?.set(name, inode);
    }
    this.#events.push({ kind: 'names', changes, what });
  }

  #nameChange(path: string, inode?: Inode): NameChange {
    const folder = this.#find(dirname(path));
    if (folder === undefined) throw new Error(`${dirname(path)} is not known`);
    return { folder, name: basename(path), ...(inode !== undefined && { inode }) };
  }

  #newInode(isFolder: boolean): Inode {
    this.#inodes += 1;
    if (isFolder) this.#folders.set(this.#inodes, new Map());
    return this.#inodes;
  }

  #find(path: string): Inode | undefined {
    if (!this.#isWatched(path)) return undefined;
    const names = this.#name(path).split(sep).filter(Boolean);
    return names.reduce<Inode | undefined>(
      (at, name) => (at === undefined ? undefined : this.#folders.get(at)?.get(name)),
      1,
    );
  }

  #name(path: string): string {
    return relative(this.#home, path);
  }

  #isWatched(path: string): boolean {
    return (path === this.#home || path.startsWith(this.#home + sep)) && !isDatabase(basename(path));
  }

  #load(path: string): Inode {
    const content = contentOf(path);
    const inode = this.#newInode(content.bytes === undefined);
    this.#contents.set(inode, content);
    if (content.bytes !== undefined) return inode;
    for (const name of fs.readdirSync(path).filter((each) => !isDatabase(each)))
      this.#folders.get(inode)?.set(name, this.#load(join(path, name)));
    return inode;
  }
}

/** Files that SQLite answers for; a lock is made anew when it is missing. */
function isDatabase(name: string): boolean {
  return /^(state|lock)\.db/.test(name);
}

function contentOf(path: string): Content {
  const stat: BigIntStats = fs.lstatSync(path, { bigint: true });
  return {
    bytes: stat.isFile() ? fs.readFileSync(path) : undefined,
    mode: Number(stat.mode) & 0o777,
    modifiedAtUs: Number(stat.mtimeNs / 1000n),
  };
}
