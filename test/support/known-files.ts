import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ID = '[0-9a-f]{40}';
const PROJECT = '[0-9a-f]{16}';
const RUN = '[^/]+';
/** A database of SQLite, with what it keeps beside it while it is open. */
const DATABASE = '\\.db(-gate)?(-wal|-shm|-journal)?';

/** Every file that a home may hold when nobody is at work in it, as `docs/formats/` has them. */
const KNOWN = [
  'config\\.yaml',
  'ballast',
  `(state|lock|live)${DATABASE}`,
  'sessions/[0-9a-f]{2}/[^/]+/(transcript\\.jsonl|dumps/[^/.][^/]*\\.json)',
  'plans/[^/.][^/]*\\.json',
  'tokens/[0-9a-f]{64}\\.json',
  'audit/(changes|routine)-\\d{1,15}\\.jsonl',
  'archive/[^/.][^/]*\\.tar',
  `trash/${RUN}/(manifest\\.jsonl|\\d+(/.*)?)`,
  `cache/checkpoint-indexes/${PROJECT}`,
  `checkpoints/(lock|pass)${DATABASE}`,
  'checkpoints/reclaim\\.json',
  'checkpoints/store/(HEAD|config|packed-refs|shallow|info/(attributes|exclude))',
  `checkpoints/store/projects/${PROJECT}\\.json`,
  `checkpoints/store/locks/(${PROJECT}|refs)${DATABASE}`,
  'checkpoints/store/objects/[0-9a-f]{2}/[0-9a-f]{38}',
  `checkpoints/store/objects/pack/pack-${ID}\\.(pack|idx|rev)`,
  `checkpoints/store/refs/coppice/snapshots/${PROJECT}/${ID}`,
  `checkpoints/store/refs/coppice/pins/${ID}`,
  `checkpoints/store/refs/coppice/trash/${RUN}/\\d+`,
  `checkpoints/store/refs/coppice/keep/${RUN}/(target|safety)`,
].map((pattern) => new RegExp(`^${pattern}$`));

/** The files of a home that nobody knows, by their paths in it. */
export function unknownFiles(home: string): string[] {
  return filesBelow(home).filter((path) => !KNOWN.some((pattern) => pattern.test(path)));
}

function filesBelow(root: string): string[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === false);
}
