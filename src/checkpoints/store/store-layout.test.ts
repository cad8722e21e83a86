import { describe, expect, it } from 'vitest';
import { pinRef, projectIdOf, snapshotRef, storeLayout, trashRef } from './store-layout.ts';

describe('the layout of the store', () => {
  it('is what docs/formats/checkpoints.md says', () => {
    const layout = storeLayout('/home/checkpoints');
    const id = projectIdOf('/repo');
    expect(id).toBe('816fc349d3faebf8');
    expect([
      layout.gitDir,
      layout.lock,
      layout.project(id),
      layout.index(id),
      layout.projectLock(id),
      layout.indexes,
    ]).toEqual([
      '/home/checkpoints/store',
      '/home/checkpoints/lock.db',
      `/home/checkpoints/store/projects/${id}.json`,
      `/home/checkpoints/store/indexes/${id}`,
      `/home/checkpoints/store/locks/${id}.db`,
      '/home/cache/checkpoint-indexes',
    ]);
    expect([snapshotRef(id, 'c0ffee'), pinRef('c0ffee'), trashRef('run', 3)]).toEqual([
      `refs/coppice/snapshots/${id}/c0ffee`,
      'refs/coppice/pins/c0ffee',
      'refs/coppice/trash/run/3',
    ]);
  });
});
