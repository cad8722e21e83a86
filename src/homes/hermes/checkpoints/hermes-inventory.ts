import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureSharing, type Sharing } from '../../../checkpoints/reclaim/measure-sharing.ts';
import { isAtWork, type Surroundings } from '../../../checkpoints/scan-checkpoints.ts';
import { findLegacy } from '../../../checkpoints/store/find-legacy.ts';
import { storeLayout } from '../../../checkpoints/store/store-layout.ts';
import { type Place, placeBySightings } from '../../../checkpoints/take/workdir-sightings.ts';
import type { Problem } from '../../../core/problem.ts';
import { dropOrder } from '../../../core/retention/checkpoint.ts';
import type { CheckpointItem, Inventory, StrayItem } from '../../../core/retention/inventory.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { CompanionCheckpoints } from './companion-checkpoints.ts';
import { foreignProjectId, foreignWorkdir } from './foreign-snapshots.ts';
import type { HermesProject } from './store/hermes-project.ts';
import { listHermesCheckpoints } from './store/list-hermes-checkpoints.ts';
import { measureSnapshots } from './store/measure-snapshots.ts';
import { addressText } from './store/project-address.ts';

export interface HermesCheckpointScan {
  readonly projects: readonly HermesProject[];
  readonly items: readonly CheckpointItem[];
  /** What the layouts in use take on disk, and the part of it that nothing needs. */
  readonly diskBytes: number;
  readonly garbageBytes: number;
  readonly problems: readonly Problem[];
  /** Repositories, by their paths in the home, of which a good part is needed by nothing. */
  readonly wasteful: readonly string[];
}

/** What a scan has to be told. */
export interface HermesSurroundings extends Surroundings {
  readonly now: EpochMs;
}

/** For those who ask what there is, and not what may go. */
const NOTHING_KNOWN: HermesSurroundings = { active: [], sightings: new Map(), now: 0 };

/** So much of a repository has to be dead to be worth packing it anew. */
const DEAD_PART = 0.1;

/** Reads every checkpoint that Hermes may still use, with what it would free. What is damaged is a problem, and no item. */
export async function scanHermesCheckpoints(
  home: string,
  around: HermesSurroundings = NOTHING_KNOWN,
): Promise<HermesCheckpointScan> {
  const { projects, sizes, problems } = await listHermesCheckpoints(home);
  const used = projects.filter(({ layout }) => layout !== 'legacy');
  const items: CheckpointItem[] = [];
  const found: Problem[] = [...problems];
  const wasteful: string[] = [];
  let diskBytes = 0;
  let garbageBytes = 0;
  for (const repository of new Set(used.map((project) => project.repository))) {
    const ours = used.filter((project) => project.repository === repository);
    const scan = await scanRepository(join(home, repository), ours, around);
    const own = ours.some(({ layout }) => layout === 'v1');
    items.push(...(own ? withRest(scan, sizes.get(repository) ?? 0) : scan.items));
    found.push(...scan.problems);
    const repositoryBytes = sizes.get(repository) ?? 0;
    if (scan.deadBytes > repositoryBytes * DEAD_PART) wasteful.push(repository);
    diskBytes += repositoryBytes;
    garbageBytes += scan.deadBytes;
  }
  return { projects, items: dropOrder(items), diskBytes, garbageBytes, problems: found, wasteful };
}

/** A repository of its own goes with its newest snapshot, and so does all that is in it beside them. */
function withRest(
  { items, deadBytes }: Pick<RepositoryScan, 'items' | 'deadBytes'>,
  diskBytes: number,
): CheckpointItem[] {
  const restBytes = diskBytes - deadBytes - items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const newest = items.reduce<CheckpointItem | undefined>(
    (a, b) => (a === undefined || b.takenAt > a.takenAt ? b : a),
    undefined,
  );
  return items.map((item) =>
    item === newest ? { ...item, sizeBytes: item.sizeBytes + Math.max(0, restBytes) } : item,
  );
}

/** Layouts of before: moved aside, or left over beside the store. A repository of its own without a store is in use. */
export function findHermesLegacy(home: string): readonly StrayItem[] {
  const root = join(home, 'checkpoints');
  const found = findLegacy(root);
  return existsSync(join(root, 'store')) ? found : found.filter(({ id }) => id.startsWith('checkpoints/legacy-'));
}

/** That a folder is missing does not say that it is gone. What Hermes noted while it was there shows it, or what passes saw. */
export function placeOf(
  project: Pick<HermesProject, 'workdir' | 'parent' | 'layout' | 'repository' | 'hash'>,
  { sightings, now }: Pick<HermesSurroundings, 'sightings' | 'now'>,
): Place {
  const { workdir, parent } = project;
  if (workdir === undefined) return { place: 'unreachable' };
  return placeBySightings({ workdir, facts: { parent }, sighting: sightings.get(foreignProjectId(project)), now });
}

/** What each project takes alone, and what they share in the store. A repository of its own shares nothing. */
export async function hermesSharing(home: string, items: readonly CheckpointItem[]): Promise<Sharing> {
  const inStore = items.filter(({ fingerprint }) => fingerprint.startsWith(`${STORE} `));
  const layout = storeLayout(join(home, 'checkpoints'));
  const { ownBytes, ...rest } =
    inStore.length === 0 ? { ownBytes: [], sharedBytes: 0, indexBytes: 0 } : await measureSharing({ layout }, inStore);
  const { projects } = await listHermesCheckpoints(home);
  const alone = projects.flatMap((project): [string, number][] =>
    project.sizeBytes === undefined ? [] : [[foreignProjectId(project), project.sizeBytes]],
  );
  return { ownBytes: new Map([...ownBytes, ...alone]), ...rest };
}

const STORE = 'checkpoints/store';

/** An inventory with what Hermes saved of working directories, and what of that waits beside its home. */
export function withHermesCheckpoints(
  inventory: Inventory,
  scan: HermesCheckpointScan,
  companion: CompanionCheckpoints,
): Inventory {
  const garbageBytes = scan.garbageBytes + companion.garbageBytes;
  return {
    ...inventory,
    checkpoints: scan.items,
    checkpointBytes: scan.diskBytes + companion.diskBytes,
    checkpointSpare: { garbageBytes, cacheBytes: 0 },
    trash: companion.trash,
    problems: [...inventory.problems, ...scan.problems],
  };
}

interface RepositoryScan {
  readonly items: CheckpointItem[];
  readonly problems: Problem[];
  readonly deadBytes: number;
}

async function scanRepository(
  gitDir: string,
  projects: readonly HermesProject[],
  around: HermesSurroundings,
): Promise<RepositoryScan> {
  const candidates = dropOrder(projects.flatMap((project) => candidatesOf(project, around)));
  const goLast = candidates.map(({ id }) => id).toReversed();
  const { freedBytes, allBytes } = await measureSnapshots(gitDir, goLast);
  if (freedBytes !== undefined) {
    const needed = [...freedBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const items = candidates.map((item) => ({ ...item, sizeBytes: freedBytes.get(item.id) ?? 0 }));
    return { items, problems: [], deadBytes: Math.max(0, allBytes - needed) };
  }
  // One is broken: each project is looked at by itself, and what is shared counts as shared by none.
  const [only] = projects;
  if (projects.length === 1 && only !== undefined) return { items: [], problems: [broken(only)], deadBytes: 0 };
  const parts = await Promise.all(projects.map((project) => scanRepository(gitDir, [project], around)));
  return {
    items: parts.flatMap(({ items }) => items),
    problems: parts.flatMap(({ problems }) => problems),
    deadBytes: 0,
  };
}

function candidatesOf(project: HermesProject, around: HermesSurroundings): CheckpointItem[] {
  const place = placeOf(project, around);
  const active = project.workdir !== undefined && isAtWork(project.workdir, around.active);
  return project.snapshots.map(({ hash, takenAt }) => ({
    kind: 'checkpoint',
    id: hash,
    projectId: foreignProjectId(project),
    workdir: foreignWorkdir(project),
    takenAt,
    pinned: false,
    needed: false,
    active,
    ...place,
    sizeBytes: 0,
    fingerprint: addressText(project),
    chained: true,
  }));
}

function broken(project: HermesProject): Problem {
  return {
    kind: 'checkpoint-incomplete',
    subject: `${project.repository}/${project.hash}`,
    message: `Parts of the checkpoints of ${foreignWorkdir(project)} are missing. They are left as they are.`,
    hint: `Run git --git-dir=${project.repository} fsck in the home to see what is wrong.`,
  };
}
