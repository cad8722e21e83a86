import {
  checkpointDetailDocument,
  checkpointDocument,
  takeDocument,
  verdictDocument,
} from '../../app/documents/checkpoint-document.ts';
import { diffDocument, fileDocument, previewDocument, restoreDocument } from '../../app/documents/restore-document.ts';
import { checkpointStatusDocument } from '../../app/documents/status-document.ts';
import { Failure } from '../../core/failure.ts';
import type { RestoredFile } from '../../core/retention/checkpoint.ts';
import { said, throttled } from '../answer-lines.ts';
import { pageOf } from '../pages.ts';
import { jsonRoute, rawRoute } from '../route.ts';
import {
  checkpointDetailSchema,
  checkpointListQuery,
  checkpointListSchema,
  checkpointSchema,
  checkpointStatusSchema,
  diffQuery,
  diffSchema,
  pinSchema,
  reclaimedSchema,
  reclaimSchema,
  restoreDoneSchema,
  restoredFileSchema,
  restoreSchema,
  takenSchema,
  takeSchema,
  verifiedSchema,
} from '../schemas/checkpoint-schemas.ts';
import { progressSchema } from '../schemas/values.ts';
import { sendText } from '../send-text.ts';

/** Each of these starts processes and reads a working directory. */
const HEAVY = 500;

export const checkpointRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints/status',
    scope: 'read',
    summary: 'Projects, checkpoints, what they take on disk, the limits, and whether all is well.',
    cost: HEAVY,
    answer: checkpointStatusSchema,
    tells: progressSchema,
    handle: async ({ parts: { home } }) => checkpointStatusDocument(await home.checkpoints.status()),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints/verify',
    scope: 'read',
    summary: 'Whether every checkpoint is complete and exactly what was saved.',
    cost: HEAVY,
    answer: verifiedSchema,
    tells: progressSchema,
    handle: async ({ parts: { home } }) => verdictDocument(await home.checkpoints.verify()),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/checkpoints/reclaim',
    scope: 'manage',
    summary: 'Give the space of checkpoints that are gone for good back to the disk, and pack the others.',
    cost: HEAVY,
    body: reclaimSchema,
    answer: reclaimedSchema,
    tells: progressSchema,
    handle: async ({ parts: { home } }) => ({
      freedBytes: await (await home.retention()).reclaimCheckpoints({ insist: true }),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints',
    scope: 'read',
    summary: 'List checkpoints, newest first: of one folder, or of all.',
    cost: HEAVY,
    query: checkpointListQuery,
    answer: checkpointListSchema,
    handle: async ({ parts: { home }, query: { limit, after, total, ...query } }) => {
      const asked = { ...(limit && { limit }), ...(after && { after }), ...(total !== undefined && { total }) };
      const { shown, about } = pageOf(await home.checkpoints.list(query), asked);
      return { checkpoints: shown.map(checkpointDocument), ...about };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/checkpoints',
    scope: 'manage',
    summary: 'Save the state of a folder on the machine of the daemon, if anything changed.',
    cost: HEAVY,
    body: takeSchema,
    answer: takenSchema,
    status: 201,
    location: ({ id }) => `/api/checkpoints/${encodeURIComponent(id)}`,
    tells: progressSchema,
    handle: async ({ parts: { home }, body, tell, signal }) => {
      const result = await home.checkpoints.take(body, { signal, onProgress: throttled(tell) });
      if (result.status !== 'refused') return takeDocument(result);
      throw new Failure('refused', result.message, { hint: result.hint });
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/checkpoints/{id}',
    scope: 'read',
    summary: 'Show a checkpoint, by its id or the first characters of it, and what is new in it.',
    cost: HEAVY,
    answer: checkpointDetailSchema,
    handle: async ({ parts: { home }, id }) => checkpointDetailDocument(await home.checkpoints.show(id)),
  }),
  jsonRoute({
    method: 'PATCH',
    path: '/api/checkpoints/{id}',
    scope: 'manage',
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
    scope: 'read',
    summary: 'Which files changed since a checkpoint: up to now, or up to another.',
    cost: HEAVY,
    query: diffQuery,
    answer: diffSchema,
    tells: progressSchema,
    handle: async ({ parts: { home }, id, query: { to, path: paths = [] }, signal }) =>
      diffDocument(await home.checkpoints.diff(id, { ...(to !== undefined && { to }), paths, signal })),
  }),
  rawRoute({
    method: 'GET',
    path: '/api/checkpoints/{id}/diff/text',
    scope: 'read',
    summary: 'The same as text, as `git diff` shows it.',
    cost: HEAVY,
    query: diffQuery,
    contentType: 'text/plain',
    respond: ({ parts: { home, signal }, id, query: { to, path: paths = [] }, response }) =>
      sendText(response, home.checkpoints.diffText(id, { ...(to !== undefined && { to }), paths, signal })),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/checkpoints/{id}/restore',
    scope: 'manage',
    summary: 'Take files back to a checkpoint. What is there now is saved first; undo the run to go back.',
    cost: HEAVY,
    body: restoreSchema,
    answer: restoreDoneSchema,
    repeat: 'once',
    tells: restoredFileSchema,
    handle: async ({ parts: { home }, id, body: { dryRun = false, ...options }, tell, signal }) => {
      if (dryRun) return previewDocument(await home.checkpoints.previewRestore(id, { ...options, signal }));
      const files: RestoredFile[] = [];
      const onFile = (file: RestoredFile) => {
        files.push(file);
        said(tell(fileDocument(file)));
      };
      return restoreDocument(await home.checkpoints.restore(id, { ...options, signal, onFile }), files);
    },
  }),
] as const;
