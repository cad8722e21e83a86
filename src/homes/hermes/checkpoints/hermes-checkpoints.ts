import { join } from 'node:path';
import { findAmong } from '../../../checkpoints/store/find-snapshot.ts';
import type { HomeCheckpoints } from '../../../checkpoints/home-checkpoints.ts';
import type { Changed } from '../../../checkpoints/take/measure-changes.ts';
import type { Checkpoint, CheckpointProject } from '../../../core/retention/checkpoint.ts';
import { type GitPlace, runGit } from '../../../platform/git/run-git.ts';
import { foreignCheckpointBytes, scanCompanion } from './companion-checkpoints.ts';
import { countFiles, foreignProjectId, foreignSnapshots, foreignWorkdir } from './foreign-snapshots.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import {
  findHermesLegacy,
  type HermesSurroundings,
  hermesSharing,
  placeOf,
  scanHermesCheckpoints,
  withHermesCheckpoints,
} from './hermes-inventory.ts';
import { listHermesCheckpoints, listHermesWorkdirs } from './store/list-hermes-checkpoints.ts';
import { gitPlace } from './store/read-snapshots.ts';

/** The checkpoints of a Hermes home as everybody sees checkpoints. What only some ask for is loaded when it is called. */
export function hermesCheckpoints(parts: HermesCheckpointParts): HomeCheckpoints {
  const { home, clock } = parts;
  return {
    ...goBack(parts),
    list: (workdir) => listForeignCheckpoints(home, workdir),
    projects: async () => listForeignProjects(home, { sightings: await parts.sightings(), now: clock.now() }),
    show: (id) => showForeignCheckpoint(home, id),
    // Hermes does not tell when a session was used.
    knowsUse: false,
    async check() {
      const { projects, problems } = await scanHermesCheckpoints(home);
      return { looked: projects.reduce((sum, { snapshots }) => sum + snapshots.length, 0), problems };
    },
    async addTo(inventory, active) {
      const around = { active, sightings: await parts.sightings(), now: clock.now() };
      const scan = await scanHermesCheckpoints(home, around);
      return withHermesCheckpoints(inventory, scan, await scanCompanion(parts, inventory.trash));
    },
    legacy: () => findHermesLegacy(home),
    workdirs: () =>
      listHermesWorkdirs(home).map((project) => ({ id: foreignProjectId(project), workdir: project.workdir })),
    sharing: (items) => hermesSharing(home, items),
    async look() {
      const diskBytes = await foreignCheckpointBytes(parts, home);
      return diskBytes === 0 ? undefined : { diskBytes, loose: 0 };
    },
    isCrowded: async () => false,
    async reclaim() {
      const { reclaimForeign } = await import('./hermes-home-driver.ts');
      return reclaimForeign(parts, home);
    },
  };
}

function goBack(
  parts: HermesCheckpointParts,
): Pick<HomeCheckpoints, 'diff' | 'diffText' | 'restore' | 'previewRestore' | 'verify'> {
  const { home } = parts;
  return {
    async diff(id, options) {
      const { diffForeign } = await import('./diff-foreign.ts');
      return diffForeign(parts, { home, id, ...options });
    },
    async *diffText(id, options) {
      const { diffForeignText } = await import('./diff-foreign.ts');
      yield* diffForeignText(parts, { home, id, ...options });
    },
    async restore(id, options) {
      const { restoreForeign } = await import('./restore-foreign.ts');
      return restoreForeign(parts, { home, id }, options);
    },
    async previewRestore(id, options) {
      const { previewForeign } = await import('./restore-foreign.ts');
      return previewForeign(parts, { home, id }, options);
    },
    async verify(options) {
      const { verifyForeign } = await import('./verify-foreign.ts');
      return verifyForeign(parts, home, options);
    },
  };
}

/** In every layout, newest first: all, or those of one folder. */
async function listForeignCheckpoints(home: string, workdir?: string): Promise<readonly Checkpoint[]> {
  const checkpoints: Checkpoint[] = [];
  for (const snapshot of await foreignSnapshots(home)) {
    if (workdir === undefined || snapshot.project.workdir === workdir) {
      checkpoints.push(await countFiles(home, snapshot));
    }
  }
  return checkpoints;
}

/** One of them, and what is new in it against the one before it. */
async function showForeignCheckpoint(
  home: string,
  id: string,
): Promise<{ checkpoint: Checkpoint; previous?: Checkpoint; changes: Changed }> {
  const snapshots = await foreignSnapshots(home);
  const checkpoints = snapshots.map(({ checkpoint }) => checkpoint);
  const { checkpoint, previous } = findAmong(checkpoints, id);
  const snapshot = snapshots[checkpoints.indexOf(checkpoint)];
  const place = gitPlace(join(home, snapshot?.project.repository ?? ''));
  return {
    checkpoint: snapshot === undefined ? checkpoint : await countFiles(home, snapshot),
    changes: await changesIn(place, checkpoint.id),
    ...(previous !== undefined && { previous }),
  };
}

/** The folders that Hermes takes checkpoints of, the one used last first. */
async function listForeignProjects(
  home: string,
  known: Pick<HermesSurroundings, 'sightings' | 'now'>,
): Promise<readonly CheckpointProject[]> {
  const { projects } = await listHermesCheckpoints(home);
  const found = projects.map((project) => ({
    id: foreignProjectId(project),
    workdir: foreignWorkdir(project),
    createdAt: project.snapshots.at(-1)?.takenAt ?? 0,
    lastTakenAt: project.snapshots[0]?.takenAt ?? 0,
    place: placeOf(project, known).place,
  }));
  return found.toSorted((a, b) => b.lastTakenAt - a.lastTakenAt);
}

async function changesIn(place: GitPlace, id: string): Promise<Changed> {
  const { stdout } = await runGit(place, ['diff-tree', '-r', '-z', '--root', '--no-commit-id', '--no-renames', id]);
  const entries = stdout
    .toString('latin1')
    .split('\0')
    .filter((field) => /^:\d{6} \d{6} /.test(field));
  const kinds = entries.map((entry) => entry.slice(-1));
  const contents = entries.map((entry) => entry.split(' ')[3] ?? '').filter((oid) => !/^0+$/.test(oid));
  const input = contents.map((oid) => `${oid}\n`).join('');
  const sizes = await runGit(place, ['cat-file', '--batch-check=%(objectsize)'], { input });
  const count = (kind: string) => kinds.filter((each) => each === kind).length;
  return {
    added: count('A'),
    removed: count('D'),
    changed: entries.length - count('A') - count('D'),
    sizeBytes: sizes.stdout
      .toString()
      .split('\n')
      .reduce((sum, size) => sum + Number(size), 0),
  };
}
