import { existsSync, realpathSync } from 'node:fs';
import { devNull } from 'node:os';
import { join, sep } from 'node:path';
import { findAmong } from '../../../checkpoints/store/find-snapshot.ts';
import type { CheckpointStore, StoreOptions } from '../../../checkpoints/store/open-store.ts';
import { projectIdOf } from '../../../checkpoints/store/store-layout.ts';
import { adoptSnapshot, nestedIn } from '../../../checkpoints/take/adopt-snapshot.ts';
import { Failure } from '../../../core/failure.ts';
import { type Checkpoint, shortId } from '../../../core/retention/checkpoint.ts';
import { GitError, type GitPlace } from '../../../platform/git/run-git.ts';
import { countFiles, foreignSnapshots } from './foreign-snapshots.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import { gitPlace } from './store/read-snapshots.ts';

/** A checkpoint of Hermes that a person named. */
export interface HermesTarget {
  /** As it is listed. */
  readonly checkpoint: Checkpoint;
  readonly from: GitPlace;
  /** Goes by the rules by which Hermes saved it, so that what it never saves is neither compared nor removed. */
  readonly storeOptions: StoreOptions;
}

/** Finds it by its id or the first characters of it. Refuses one whose folder is not known or must not be touched. */
export async function findHermesTarget(parts: HermesCheckpointParts, home: string, id: string): Promise<HermesTarget> {
  const snapshots = await foreignSnapshots(home);
  const checkpoints = snapshots.map(({ checkpoint }) => checkpoint);
  const { checkpoint } = findAmong(checkpoints, id);
  const snapshot = snapshots[checkpoints.indexOf(checkpoint)];
  if (snapshot?.project.workdir === undefined) throw unknownFolder(checkpoint);
  refuseHome(home, checkpoint.workdir);
  const gitDir = join(home, snapshot.project.repository);
  const excludes = join(gitDir, 'info', 'exclude');
  const options = parts.storeOptions;
  const limits = {
    ...options.limits,
    homeRoot: home,
    exclude: (await nestedIn(gitPlace(gitDir), checkpoint.tree)).map(patternFor),
    excludeFrom: existsSync(excludes) ? excludes : devNull,
  };
  return {
    checkpoint: await countFiles(home, snapshot),
    from: gitPlace(gitDir),
    storeOptions: { ...options, limits },
  };
}

/** Brings it into a store of Coppice, where it can be compared and gone back to. Hermes' own is only read. */
export async function adoptTarget(store: CheckpointStore, { checkpoint, from }: HermesTarget): Promise<Checkpoint> {
  const { id, tree, pinned: _, ...facts } = checkpoint;
  try {
    return await adoptSnapshot(store, { from, tree, facts: { ...facts, projectId: projectIdOf(facts.workdir) } });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Failure('integrity', `Checkpoint ${shortId(id)} cannot be read in full.`, {
      hint: 'Nothing was changed. Choose another, or look closer with: coppice doctor',
      cause: error,
    });
  }
}

function unknownFolder({ id }: Checkpoint): Failure {
  const message = `Which folder checkpoint ${shortId(id)} belongs to is not known.`;
  return new Failure('refused', `${message} What Hermes noted about it is missing or damaged.`, {
    hint: 'Nothing was changed. See what is wrong with: coppice doctor',
  });
}

/** The files of a home of Hermes change while it runs: nothing that holds them can be saved or gone back to. */
function refuseHome(home: string, workdir: string): void {
  if (!`${realpathSync(home)}${sep}`.startsWith(`${workdir}${sep}`)) return;
  throw new Failure('refused', `${workdir} holds the home of Hermes itself.`, {
    hint: 'Nothing was changed. Go back to single files in Hermes with: /rollback N FILE',
  });
}

/** A pattern that fits this folder. Where its name is no text it may fit another one too, which is then left alone as well. */
function patternFor(path: Buffer): string {
  const escaped = path.toString().replaceAll(/[\\*?[\]!# ]/g, '\\$&');
  return `/${escaped.replaceAll(/\uFFFD+/g, '*')}/`;
}
