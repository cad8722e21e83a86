import { carriedDocument, runDocument, runItemDocument, runTotalsDocument } from '../../app/documents/run-document.ts';
import { findRun } from '../../app/retention/find-run.ts';
import type { Run, RunItem } from '../../core/retention/run.ts';
import { gather } from '../gather.ts';
import { jsonRoute } from '../route.ts';
import {
  carriedSchema,
  emptiedSchema,
  emptySchema,
  outcomeSchema,
  runDetailQuery,
  runDetailSchema,
  runListQuery,
  runListSchema,
  undoSchema,
} from '../schemas/run-schemas.ts';
import { progressSchema } from '../schemas/values.ts';

const PAGE = 50;
const ITEMS_PAGE = 500;
const HEAVY = 1000;

export const runRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/runs',
    scope: 'read',
    summary: 'List what was removed or taken back, newest first. Pages go on with `after`.',
    query: runListQuery,
    answer: runListSchema,
    handle: async ({ parts: { home }, query: { limit = PAGE, after, total = true } }) => {
      const retention = await home.retention();
      const runs: Run[] = [];
      let begun = after === undefined;
      let seen = 0;
      for await (const run of retention.runs()) {
        seen += 1;
        if (begun && runs.length <= limit) runs.push(run);
        else if (begun && !total) break;
        begun ||= run.id === after;
      }
      const shown = runs.slice(0, limit);
      const documents = await Promise.all(shown.map((run) => runTotalsDocument(run, retention.items(run.id))));
      const last = shown.at(-1)?.id;
      const more = runs.length > limit && last !== undefined;
      return { runs: documents, ...(total && { total: seen }), ...(more && { next: last }) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/runs/{id}',
    scope: 'read',
    summary: 'Show a run and what became of each item. Pages go on with `after`.',
    query: runDetailQuery,
    answer: runDetailSchema,
    handle: async ({ parts: { home }, id, query: { limit = ITEMS_PAGE, after = 0, total = true } }) => {
      const retention = await home.retention();
      const run = await findRun(retention, id);
      const items: RunItem[] = [];
      let seen = 0;
      for await (const item of retention.items(id)) {
        seen += 1;
        if (item.number > after && items.length <= limit) items.push(item);
        else if (items.length > limit && !total) break;
      }
      const shown = items.slice(0, limit);
      const last = shown.at(-1)?.number;
      return {
        ...runDocument(run),
        items: shown.map(runItemDocument),
        ...(total && { total: seen }),
        ...(items.length > limit && last !== undefined && { next: last }),
      };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/runs/{id}/undo',
    scope: 'manage',
    summary: 'Give back what a run removed: all of it, or the items with these ids.',
    cost: HEAVY,
    body: undoSchema,
    answer: carriedSchema,
    repeat: 'once',
    tells: outcomeSchema,
    handle: async ({ parts: { home }, id, body, tell, signal }) => {
      const { outcomes, onOutcome } = gather(tell);
      const { run, freedBytes } = await home.undo(id, { ...body, signal, onOutcome });
      return carriedDocument({ run, outcomes, freedBytes, interrupted: false });
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/runs/{id}/empty',
    scope: 'manage',
    summary: 'Remove what a run put into the trash for good. This cannot be undone.',
    cost: HEAVY,
    body: emptySchema,
    answer: emptiedSchema,
    repeat: 'once',
    tells: progressSchema,
    handle: async ({ parts: { home }, id, body }) => (await home.retention()).emptyTrash(id, body),
  }),
] as const;
