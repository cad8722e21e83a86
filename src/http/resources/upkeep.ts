import type { z } from 'zod';
import { heldDocument, maintenanceDocument, statusDocument } from '../../app/documents/status-document.ts';
import type { Home } from '../../app/home.ts';
import { throttled } from '../answer-lines.ts';
import { jsonRoute } from '../route.ts';
import {
  checkListSchema,
  checkSchema,
  explanationSchema,
  heldSchema,
  holdSchema,
  homeStatusSchema,
  maintainedSchema,
  maintainSchema,
  repairListSchema,
  repairSchema,
  repairStepSchema,
  statsSchema,
} from '../schemas/upkeep-schemas.ts';
import { progressSchema } from '../schemas/values.ts';

/** Each of these reads the whole home. */
const HEAVY = 1000;

export const upkeepRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/status',
    scope: 'read',
    summary: 'What the home keeps, what protects it, and what the rules would let go of now.',
    cost: HEAVY,
    answer: homeStatusSchema,
    tells: progressSchema,
    handle: async ({ parts: { home }, tell, signal }) =>
      statusDocument(await home.status({ signal, onProgress: throttled(tell) })),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/stats',
    scope: 'read',
    summary: 'Sessions, messages and bytes by source, age and kind of file, and what could go.',
    cost: HEAVY,
    answer: statsSchema,
    tells: progressSchema,
    handle: ({ parts: { home }, tell, signal }) => home.sessions.stats({ signal, onProgress: throttled(tell) }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/explain/{id}',
    scope: 'read',
    summary: 'Why one item stays or goes: every rule that was asked.',
    cost: HEAVY,
    answer: explanationSchema,
    tells: progressSchema,
    handle: ({ parts: { home }, id }) => home.explain(id),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/check',
    scope: 'read',
    summary: 'Look at the database, the search index and every file, and name what is wrong.',
    cost: HEAVY,
    answer: checkListSchema,
    tells: checkSchema,
    handle: async ({ parts: { home }, tell, signal }) => ({ checks: await collect(home.check({ signal }), tell) }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/repair',
    scope: 'manage',
    summary: 'Look, and repair what can be repaired without losing anything.',
    cost: HEAVY,
    body: repairSchema,
    answer: repairListSchema,
    tells: repairStepSchema,
    handle: async ({ parts: { home }, tell, signal }) => {
      // What is wrong is found out here: nothing that a client names is touched.
      const problems = (await collect(home.check({ signal }))).flatMap((check) => check.problems);
      return { repairs: await collect(home.repair(problems), tell) };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/maintain',
    scope: 'manage',
    summary:
      'Make one pass over the home, as an unattended run would: under the guard, which slows large removals down.',
    cost: HEAVY,
    body: maintainSchema,
    answer: maintainedSchema,
    tells: progressSchema,
    handle: async ({ parts: { home }, body, signal }) => maintenanceDocument(await maintain(home, body, signal)),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/maintain/hold',
    scope: 'manage',
    summary: 'Hold everything that unattended runs would remove, or let it go on.',
    body: holdSchema,
    answer: heldSchema,
    handle: async ({ parts: { home }, body }) => heldDocument(await (await home.retention()).hold(body.held)),
  }),
] as const;

async function maintain(
  home: Home,
  { auto = false, allow = false }: z.output<typeof maintainSchema>,
  signal: AbortSignal,
) {
  if (auto) return home.maintainInBackground({ signal });
  return (await home.retention()).maintain({ signal, now: true, allow });
}

async function collect<T extends object>(items: AsyncIterable<T>, tell?: (item: T) => Promise<void>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
    await tell?.(item);
  }
  return all;
}
