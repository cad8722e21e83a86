import { checkpointDetailDocument, checkpointDocument, takeDocument } from '../app/documents/checkpoint-document.ts';
import { diffDocument, previewDocument, restoreDocument } from '../app/documents/restore-document.ts';
import type { RestoredFile } from '../core/checkpoint.ts';
import { Failure } from '../core/failure.ts';
import { jsonRoute, type Route } from './route.ts';
import {
  checkpointDetailSchema,
  checkpointListQuery,
  checkpointListSchema,
  checkpointSchema,
  diffQuery,
  diffSchema,
  pinSchema,
  restoreDoneSchema,
  restoreSchema,
  takenSchema,
  takeSchema,
} from './schemas/checkpoint-schemas.ts';

/** Each of these starts processes and reads a working directory. */
const HEAVY = 500;

export const checkpointRoutes: readonly Route[] = [
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints',
    summary: 'List checkpoints, newest first: of one folder, or of all.',
    cost: HEAVY,
    query: checkpointListQuery,
    answer: checkpointListSchema,
    handle: async ({ parts: { home }, query }) => ({
      checkpoints: (await home.checkpoints.list(query)).map(checkpointDocument),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/checkpoints',
    summary: 'Save the state of a folder on the machine of the daemon, if anything changed.',
    cost: HEAVY,
    body: takeSchema,
    answer: takenSchema,
    status: 201,
    handle: async ({ parts: { home, signal }, body }) => {
      const result = await home.checkpoints.take(body, { signal });
      if (result.status !== 'refused') return takeDocument(result);
      throw new Failure('refused', result.message, { hint: result.hint });
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints/{id}',
    summary: 'Show a checkpoint, by its id or the first characters of it, and what is new in it.',
    cost: HEAVY,
    answer: checkpointDetailSchema,
    handle: async ({ parts: { home }, id }) => checkpointDetailDocument(await home.checkpoints.show(id)),
  }),
  jsonRoute({
    method: 'PATCH',
    path: '/api/checkpoints/{id}',
    summary: 'Protect a checkpoint from every kind of removal, or no longer.',
    cost: HEAVY,
    body: pinSchema,
    answer: checkpointSchema,
    handle: async ({ parts: { home }, id, body }) =>
      checkpointDocument(await (body.pinned ? home.checkpoints.pin(id) : home.checkpoints.unpin(id))),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints/{id}/diff',
    summary: 'Which files changed since a checkpoint: up to now, or up to another.',
    cost: HEAVY,
    query: diffQuery,
    answer: diffSchema,
    handle: async ({ parts: { home, signal }, id, query }) =>
      diffDocument(await home.checkpoints.diff(id, { ...query, signal })),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/checkpoints/{id}/restore',
    summary: 'Take files back to a checkpoint. What is there now is saved first; undo the run to go back.',
    cost: HEAVY,
    body: restoreSchema,
    answer: restoreDoneSchema,
    handle: async ({ parts: { home, signal }, id, body: { dryRun = false, ...options } }) => {
      if (dryRun) return previewDocument(await home.checkpoints.previewRestore(id, { ...options, signal }));
      const files: RestoredFile[] = [];
      const onFile = (file: RestoredFile) => files.push(file);
      return restoreDocument(await home.checkpoints.restore(id, { ...options, signal, onFile }), files);
    },
  }),
];
