import { dirname } from 'node:path';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import type { EpochMs } from '../../core/time.ts';
import { rulesOf } from '../store/excludes.ts';
import { fileId, sameFile } from './locate-workdir.ts';
import { readSnapshotText, snapshotText } from '../store/snapshot-text.ts';
import type { UpdatePlace } from './update-index.ts';
import { dropIndex, indexStamp } from './work-index.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { type IndexRecord, type ProjectRecord, readProject, writeProject } from '../store/project-book.ts';
import { pinRef, projectIdOf, type StoreLayout, snapshotRef } from '../store/store-layout.ts';
import { looseRef } from '../store/store-refs.ts';

/** A project at the start of a take. */
export interface OpenProject {
  readonly id: string;
  readonly place: UpdatePlace;
  /** Absent when its index is not to be trusted; then there is none any more. */
  readonly record: ProjectRecord | undefined;
  /** The checkpoint that the index belongs to, where that is known without git. */
  readonly base: Checkpoint | undefined;
  readonly createdAt: EpochMs;
  /** Another directory stands at its path than at the last take: all its files look touched. */
  readonly moved: boolean;
  /** The record has to be written again even if no file changed. */
  readonly stale: boolean;
  readonly rules: string;
}

/**
 * An index is trusted only if it is exactly what the last take left and wrote down. A killed take or anything else that
 * touched it may have left entries whose objects are gone by now.
 */
export function openProject(
  { layout, limits, clock }: CheckpointStore,
  workdir: string,
  { trust }: { readonly trust: boolean },
): OpenProject {
  const id = projectIdOf(workdir);
  const place = { gitDir: layout.gitDir, workTree: workdir, indexFile: layout.index(id) };
  const found = readProject(layout, id);
  const stored = typeof found === 'string' ? undefined : found;
  const record = trust && stored?.index.stamp === indexStamp(place.indexFile) ? stored : undefined;
  if (record === undefined) dropIndex(place.indexFile);
  const rules = rulesOf(limits);
  const moved = record !== undefined && !sameFile(record.self, fileId(workdir));
  const stale = moved || record?.index.rules !== rules;
  const base = record === undefined ? undefined : baseOf(layout, record.index);
  return { id, place, record, base, createdAt: stored?.createdAt ?? clock.now(), moved, stale, rules };
}

/** Refs are packed together, so the pin of a checkpoint whose own ref is not packed is not packed either. */
function baseOf(layout: StoreLayout, { id, tree, text }: IndexRecord): Checkpoint | undefined {
  const facts = readSnapshotText(text);
  if (facts === undefined || looseRef(layout, snapshotRef(facts.projectId, id)) !== id) return undefined;
  return { ...facts, id, tree, pinned: looseRef(layout, pinRef(id)) === id };
}

/** Writes down what a take left: the index as the state of this checkpoint, and where the directory is. */
export function rememberProject({ layout, clock }: CheckpointStore, project: OpenProject, newest: Checkpoint): void {
  const { workTree: workdir, indexFile } = project.place;
  const { id, tree, pinned: _, ...facts } = newest;
  writeProject(layout, project.id, {
    workdir,
    createdAt: project.createdAt,
    lastTakenAt: clock.now(),
    self: fileId(workdir),
    parent: fileId(dirname(workdir)),
    index: { id, tree, text: snapshotText(facts), stamp: indexStamp(indexFile), rules: project.rules },
  });
}
