import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findLegacy } from '../../checkpoints/find-legacy.ts';
import { locateWorkdir } from '../../checkpoints/locate-workdir.ts';
import { measureSharing, type Sharing } from '../../checkpoints/measure-sharing.ts';
import { storeLayout } from '../../checkpoints/store-layout.ts';
import { dropOrder, type WorkdirPlace } from '../../core/checkpoint.ts';
import type { CheckpointItem, Inventory, StrayItem } from '../../core/inventory.ts';
import type { Problem } from '../../core/problem.ts';
import type { HermesProject } from '../../homes/hermes/checkpoints/hermes-project.ts';
import { listHermesCheckpoints } from '../../homes/hermes/checkpoints/list-hermes-checkpoints.ts';
import { measureSnapshots } from '../../homes/hermes/checkpoints/measure-snapshots.ts';
import { addressText } from '../../homes/hermes/checkpoints/project-address.ts';
import { foreignProjectId, foreignWorkdir } from './foreign-snapshots.ts';

export interface HermesCheckpointScan {
  readonly projects: readonly HermesProject[];
  readonly items: readonly CheckpointItem[];
  /** What the layouts in use take once space is given back. */
  readonly sizeBytes: number;
  readonly problems: readonly Problem[];
  /** Repositories, by their paths in the home, of which a good part is needed by nothing. */
  readonly wasteful: readonly string[];
}

/** So much of a repository has to be dead to be worth packing it anew. */
const DEAD_PART = 0.1;

/** Reads every checkpoint that Hermes may still use, with what it would free. What is damaged is a problem, and no item. */
export async function scanHermesCheckpoints(
  home: string,
  isAtWork: (workdir: string) => boolean,
): Promise<HermesCheckpointScan> {
  const { projects, sizes, problems } = await listHermesCheckpoints(home);
  const used = projects.filter(({ layout }) => layout !== 'legacy');
  const items: CheckpointItem[] = [];
  const found: Problem[] = [...problems];
  const wasteful: string[] = [];
  let sizeBytes = 0;
  for (const repository of new Set(used.map((project) => project.repository))) {
    const ours = used.filter((project) => project.repository === repository);
    const scan = await scanRepository(join(home, repository), ours, isAtWork);
    items.push(...scan.items);
    found.push(...scan.problems);
    const diskBytes = sizes.get(repository) ?? 0;
    if (scan.deadBytes > diskBytes * DEAD_PART) wasteful.push(repository);
    sizeBytes += diskBytes - scan.deadBytes;
  }
  return { projects, items: dropOrder(items), sizeBytes, problems: found, wasteful };
}

/** Layouts of before: moved aside, or left over beside the store. A repository of its own without a store is in use. */
export function findHermesLegacy(home: string): readonly StrayItem[] {
  const root = join(home, 'checkpoints');
  const found = findLegacy(root);
  return existsSync(join(root, 'store')) ? found : found.filter(({ id }) => id.startsWith('checkpoints/legacy-'));
}

/** That a folder is missing does not say that it is gone. Only what Hermes noted while it was there can show that. */
export function placeOf({ workdir, parent }: Pick<HermesProject, 'workdir' | 'parent'>): WorkdirPlace {
  if (workdir === undefined) return 'unreachable';
  if (parent !== undefined) return locateWorkdir({ workdir, parent });
  return existsSync(workdir) ? 'present' : 'unreachable';
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

/** An inventory with what Hermes saved of working directories. */
export function withHermesCheckpoints(inventory: Inventory, scan: HermesCheckpointScan): Inventory {
  return {
    ...inventory,
    checkpoints: scan.items,
    checkpointBytes: scan.sizeBytes,
    problems: [...inventory.problems, ...scan.problems],
  };
}

async function scanRepository(
  gitDir: string,
  projects: readonly HermesProject[],
  isAtWork: (workdir: string) => boolean,
): Promise<{ items: CheckpointItem[]; problems: Problem[]; deadBytes: number }> {
  const candidates = dropOrder(projects.flatMap((project) => candidatesOf(project, isAtWork)));
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
  const parts = await Promise.all(projects.map((project) => scanRepository(gitDir, [project], isAtWork)));
  return {
    items: parts.flatMap(({ items }) => items),
    problems: parts.flatMap(({ problems }) => problems),
    deadBytes: 0,
  };
}

function candidatesOf(project: HermesProject, isAtWork: (workdir: string) => boolean): CheckpointItem[] {
  const place = placeOf(project);
  const active = project.workdir !== undefined && isAtWork(project.workdir);
  return project.snapshots.map(({ hash, takenAt }) => ({
    kind: 'checkpoint',
    id: hash,
    projectId: foreignProjectId(project),
    workdir: foreignWorkdir(project),
    takenAt,
    pinned: false,
    needed: false,
    active,
    place,
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
