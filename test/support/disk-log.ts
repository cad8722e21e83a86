/** A file or folder by number, whatever its name is by now. */
export type Inode = number;

/** What a file or folder is, beside the names in it. A folder has no bytes. */
export interface Content {
  readonly bytes: Uint8Array | undefined;
  readonly mode: number;
  readonly modifiedAtUs: number;
}

/**
 * What a process did to a disk, in its order. `names` changes entries of folders in one step: a new name, a name that goes, or both
 * at once for a rename. `commit` is the database as of then: SQLite answers for its own files.
 */
export type DiskEvent =
  | { readonly kind: 'names'; readonly changes: readonly NameChange[]; readonly what: string }
  | { readonly kind: 'content'; readonly inode: Inode; readonly content: Content; readonly what: string }
  | { readonly kind: 'sync'; readonly inode: Inode; readonly what: string }
  | { readonly kind: 'commit'; readonly database: Uint8Array; readonly what: string }
  /** All commits before it survive; where a database syncs each of them, there is none of these. */
  | { readonly kind: 'settled'; readonly what: string };

export interface NameChange {
  readonly folder: Inode;
  readonly name: string;
  /** Absent when the name goes. */
  readonly inode?: Inode;
}

export interface Disk {
  readonly root: Inode;
  readonly contents: ReadonlyMap<Inode, Content>;
  readonly folders: ReadonlyMap<Inode, ReadonlyMap<string, Inode>>;
}

export interface DiskLog {
  /** The disk before the first event, all of it safe. */
  readonly before: Disk;
  readonly database: Uint8Array;
  readonly events: readonly DiskEvent[];
  /** All that ever was a folder. */
  readonly folders: ReadonlySet<Inode>;
}

/** A moment of a power cut: what happened until then, and which of it the disk was free to lose. */
export interface PowerCut {
  /** How many events had happened. */
  readonly after: number;
  /** Indexes of the events that no sync had made safe. Any of them may be lost, in any combination. */
  readonly loose: readonly number[];
}

/**
 * Every moment at which the power may go, right after each event. A change of names is safe once every folder it concerns was
 * synced, a change of content once its file was. That is less than most file systems promise, and all that the calls promise.
 */
export function powerCuts({ events }: DiskLog): readonly PowerCut[] {
  const cuts: PowerCut[] = [];
  const waiting = new Map<number, Set<Inode>>();
  for (const [index, event] of events.entries()) {
    if (event.kind === 'names') waiting.set(index, new Set(event.changes.map(({ folder }) => folder)));
    if (event.kind === 'content') waiting.set(index, new Set([event.inode]));
    if (event.kind === 'sync') settle(waiting, event.inode);
    cuts.push({ after: index + 1, loose: [...waiting.keys()] });
  }
  return cuts;
}

function settle(waiting: Map<number, Set<Inode>>, synced: Inode): void {
  for (const [at, inodes] of waiting) if (inodes.delete(synced) && inodes.size === 0) waiting.delete(at);
}

/** What is found once the power is back, when these events were lost. */
export function diskAfter(log: DiskLog, { after }: PowerCut, lost: ReadonlySet<number>) {
  const folders = new Map([...log.folders].map((inode) => [inode, new Map(log.before.folders.get(inode))]));
  const contents = new Map(log.before.contents);
  let { database } = log;
  for (const [index, event] of log.events.slice(0, after).entries()) {
    if (event.kind === 'commit') database = event.database;
    if (lost.has(index)) continue;
    if (event.kind === 'content') contents.set(event.inode, event.content);
    for (const { folder, name, inode } of event.kind === 'names' ? event.changes : []) {
      if (inode === undefined) folders.get(folder)?.delete(name);
      else folders.get(folder)?.set(name, inode);
    }
  }
  return { disk: { root: log.before.root, contents, folders }, database };
}
