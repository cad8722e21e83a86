import type { Problem } from '../core/problem.ts';
import { type Checkpoint, dropOrder, isAtOrBelow, shortId } from '../core/retention/checkpoint.ts';
import type { CheckpointItem } from '../core/retention/inventory.ts';
import { shellWord } from '../core/shell-word.ts';
import { GitError } from '../platform/git/run-git.ts';
import { readSnapshots } from './store/read-snapshots.ts';
import { incompleteOf, objectsOfEach } from './reclaim/reachable-objects.ts';
import { lastFailure } from './reclaim/reclaim-memory.ts';
import { type CheckpointStore, LOCK_WAIT_MS } from './store/open-store.ts';
import { readProject } from './store/project-book.ts';
import { KEEP, PINS, SNAPSHOTS, type StoreLayout, TRASH } from './store/store-layout.ts';
import { idsBelow, readRefs } from './store/store-refs.ts';
import { bytesByObject, readStoreSize } from './store/store-size.ts';
import { type Place, placeBySightings, type Sighting } from './take/workdir-sightings.ts';

export interface CheckpointScan {
  readonly items: readonly CheckpointItem[];
  /** By run, how many checkpoints of it are in the trash and what they take that no other checkpoint needs. */
  readonly trash: ReadonlyMap<string, { readonly items: number; readonly sizeBytes: number }>;
  /** Everything the store takes, and the part that nothing needs any more. */
  readonly diskBytes: number;
  readonly deadBytes: number;
  /** What the cache of indexes takes beside it, which gives way to checkpoints. */
  readonly indexBytes: number;
  readonly problems: readonly Problem[];
}

/** What a scan has to be told. */
export interface Surroundings {
  /** Where sessions are at work. */
  readonly active: readonly string[];
  /** What passes have seen of folders, by project. */
  readonly sightings: ReadonlyMap<string, Sighting>;
}

/** Reads every checkpoint with what it would free. What is damaged or not understood is a problem, and no item. */
export async function scanCheckpoints(store: CheckpointStore, around: Surroundings): Promise<CheckpointScan> {
  const { layout } = store;
  // Shared, so that what was listed a moment ago is not taken for damaged because its objects go meanwhile.
  using _shared = await store.lock.share(LOCK_WAIT_MS);
  const refs = await readRefs(layout);
  const { checkpoints, problems } = await readSnapshots(store);
  const keep = idsBelow(refs, KEEP);
  const places = placesOf(store, checkpoints, around);
  const ordered = dropOrder(
    checkpoints.map((one) => ({ ...one, ...places.of(one.projectId), needed: keep.has(one.id) })),
  );
  const size = await readStoreSize(layout);
  const goLast = [...ordered.map(({ id }) => id).toReversed(), ...idsBelow(refs, TRASH)];
  const { freed, broken } = await measure(layout, bytesByObject(size), goLast);
  const unknown = [...refs.keys()].filter((name) => !KNOWN.some((prefix) => name.startsWith(`${prefix}/`)));
  const known = unknown.length === 0 && broken.length === 0 && problems.length === 0;
  return {
    items: ordered
      .filter(({ id }) => freed.has(id))
      .map((one) => itemOf(one, freed.get(one.id) ?? 0, isAtWork(one.workdir, around.active))),
    trash: trashByRun(refs, freed),
    diskBytes: size.diskBytes,
    indexBytes: size.indexBytes,
    // What damaged and unknown refs need cannot be told from what nothing needs.
    deadBytes: known ? deadBytes(size, freed) : 0,
    problems: [
      ...problems,
      ...places.problems,
      ...broken.map(brokenProblem),
      ...unknown.map(unknownProblem),
      ...lastFailure(layout),
    ],
  };
}

const KNOWN = [SNAPSHOTS, PINS, TRASH, KEEP];

interface Placed extends Checkpoint, Place {
  readonly needed: boolean;
}

function itemOf(
  { id, projectId, workdir, takenAt, sessionId, pinned, needed, place, seenGoneAt }: Placed,
  sizeBytes: number,
  active: boolean,
): CheckpointItem {
  return {
    kind: 'checkpoint',
    id,
    projectId,
    workdir,
    takenAt,
    ...(sessionId !== undefined && { sessionId }),
    pinned,
    needed,
    active,
    place,
    ...(seenGoneAt !== undefined && { seenGoneAt }),
    sizeBytes,
    // A checkpoint never changes; what protects it is looked at again when it is taken away.
    fingerprint: projectId,
  };
}

/** Whether a session is at work in a project or below it. */
export function isAtWork(workdir: string, active: readonly string[]): boolean {
  return active.some((dir) => isAtOrBelow(dir, workdir));
}

/** Where each project is. Without a record that can be read there is no evidence, so it cannot be said to be gone. */
function placesOf(
  { layout, clock }: CheckpointStore,
  checkpoints: readonly Checkpoint[],
  { sightings }: Pick<Surroundings, 'sightings'>,
) {
  const places = new Map<string, Place>();
  const now = clock.now();
  const problems: Problem[] = [];
  for (const { projectId, workdir } of checkpoints) {
    if (places.has(projectId)) continue;
    const record = readProject(layout, projectId);
    const sighting = sightings.get(projectId);
    places.set(
      projectId,
      typeof record === 'string' ? UNKNOWN : placeBySightings({ workdir, facts: record, sighting, now }),
    );
    if (typeof record === 'string') problems.push(recordProblem(projectId, workdir));
  }
  return { of: (projectId: string) => places.get(projectId) ?? UNKNOWN, problems };
}

const UNKNOWN: Place = { place: 'unreachable' };

interface Measured {
  readonly freed: ReadonlyMap<string, number>;
  readonly broken: readonly string[];
}

/**
 * What each checkpoint frees when it goes before those that stand before it here: the objects that none of those has. The trash
 * goes before everything, so it stands last. What is broken is left out, which is looked for only where something is.
 */
async function measure(
  layout: StoreLayout,
  bytes: ReadonlyMap<string, number>,
  goLast: readonly string[],
): Promise<Measured> {
  const freed = new Map<string, number>();
  try {
    for await (const { id, objects } of objectsOfEach(layout, goLast)) {
      freed.set(
        id,
        objects.reduce((sum, object) => sum + (bytes.get(object) ?? 0), 0),
      );
    }
    return { freed, broken: [] };
  } catch (error) {
    const broken = error instanceof GitError ? await incompleteOf(layout, goLast) : [];
    if (broken.length === 0) throw error;
    const whole = await measure(
      layout,
      bytes,
      goLast.filter((id) => !broken.includes(id)),
    );
    return { ...whole, broken };
  }
}

function deadBytes(size: Parameters<typeof bytesByObject>[0], freed: ReadonlyMap<string, number>): number {
  const all = [...bytesByObject(size).values()].reduce((sum, bytes) => sum + bytes, 0);
  return Math.max(0, all - [...freed.values()].reduce((sum, bytes) => sum + bytes, 0));
}

function trashByRun(refs: ReadonlyMap<string, string>, freed: ReadonlyMap<string, number>): CheckpointScan['trash'] {
  const runs = new Map<string, { items: number; sizeBytes: number }>();
  const counted = new Set<string>();
  for (const [name, id] of refs) {
    if (!name.startsWith(`${TRASH}/`)) continue;
    const run = name
      .slice(TRASH.length + 1)
      .split('/', 1)
      .join();
    const { items, sizeBytes } = runs.get(run) ?? { items: 0, sizeBytes: 0 };
    runs.set(run, { items: items + 1, sizeBytes: sizeBytes + (counted.has(id) ? 0 : (freed.get(id) ?? 0)) });
    counted.add(id);
  }
  return runs;
}

const VERIFY = 'Look closer with: coppice checkpoints verify';

function brokenProblem(id: string): Problem {
  const message = `Parts of the checkpoint ${shortId(id)} are missing. It is left as it is.`;
  return { kind: 'checkpoint-incomplete', subject: id, message, hint: VERIFY };
}

function unknownProblem(name: string): Problem {
  const message = `The checkpoint store has a ref that Coppice did not write: ${name}. It is left alone.`;
  return { kind: 'unknown-ref', subject: name, message };
}

function recordProblem(projectId: string, workdir: string): Problem {
  return {
    kind: 'project-unreadable',
    subject: `checkpoints/store/projects/${projectId}.json`,
    message: `What the checkpoint store knows about ${workdir} cannot be read, so its checkpoints are held.`,
    hint: `Write it anew by taking a checkpoint there: coppice checkpoints take ${shellWord(workdir)}; if it is gone: coppice checkpoints prune --gone ${shellWord(workdir)}`,
  };
}
