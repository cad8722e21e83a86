import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { StrayItem } from '../../../core/retention/inventory.ts';
import { diskBytesOf } from '../../../platform/files/disk-bytes-of.ts';
import { listNames } from '../../../platform/files/list-names.ts';
import { type TreeStamp, treeStamp } from '../../../platform/files/tree-stamp.ts';

/** Names exactly as Hermes gives them to what it puts aside and never cuts back; `group` is what belongs together. */
const COPIES = [
  { folder: '', name: /^(?<group>state\.db\.malformed-backup-\d{8}_\d{6})(-wal|-shm)?$/, isFolder: false },
  { folder: '', name: /^(?<group>state\.db\.zeroed-\d[\w-]*\.bak)$/, isFolder: false },
  { folder: '', name: /^(?<group>state\.db\.pre-clean-markers-backup-\d[\w-]*)$/, isFolder: false },
  { folder: 'state-snapshots/', name: /^(?<group>\d{8}-\d{6}(-[\w.-]+)?)$/, isFolder: true },
  { folder: 'logs/', name: /^(?<group>subagent-timeout-[\w.-]+\.log)$/, isFolder: false },
] as const;

type Sort = (typeof COPIES)[number];

/**
 * What Hermes put aside and has no bound for: copies of a database that it mended or moved away, snapshots of its state, and logs of
 * subagents that ran out of time. The newest of each sort is not among it: it is what somebody looks for after a mishap.
 */
export function findHermesCopies(home: string): readonly StrayItem[] {
  return COPIES.flatMap((sort) => {
    const found = listNames(join(home, sort.folder)).flatMap((name) => copyItem(home, sort, name));
    const newest = found.reduce((last, { item }) => Math.max(last, item.lastActiveAt), 0);
    const stays = found.find(({ item }) => item.lastActiveAt === newest)?.group;
    return found.filter(({ group }) => group !== stays).map(({ item }) => item);
  });
}

/** Whether a path of a home is called as one of them is. */
export function isHermesCopy(path: string): boolean {
  return COPIES.some(({ folder, name }) => path.startsWith(folder) && name.test(path.slice(folder.length)));
}

/** What a copy is known by, be it a file or a folder. */
export function copyStamp(path: string): Pick<TreeStamp, 'newestAt' | 'text'> {
  const stat = lstatSync(path);
  if (stat.isDirectory()) return treeStamp(path);
  const newestAt = Math.floor(stat.mtimeMs);
  return { newestAt, text: `${newestAt}:${stat.size}` };
}

function copyItem(home: string, { folder, name, isFolder }: Sort, found: string) {
  const group = name.exec(found)?.groups?.['group'];
  const path = join(home, folder, found);
  const stat = group === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (group === undefined || stat === undefined || (isFolder ? !stat.isDirectory() : !stat.isFile())) return [];
  const { newestAt, text } = copyStamp(path);
  const item: StrayItem = {
    kind: 'orphan',
    id: `${folder}${found}`,
    lastActiveAt: newestAt,
    sizeBytes: diskBytesOf(path),
    fingerprint: text,
  };
  return [{ group, item }];
}
