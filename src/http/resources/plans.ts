import { planDocument } from '../../app/documents/plan-document.ts';
import { type PlanDocument, planOf, readPlanRequest } from '../../app/documents/read-plan-document.ts';
import { carriedDocument } from '../../app/documents/run-document.ts';
import { loadPlan } from '../../app/retention/load-plan.ts';
import type { AppliedRun, ApplyOptions } from '../../app/retention/retention.ts';
import { dropPlan, savePlan } from '../../app/retention/saved-plans.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import { throttled } from '../answer-lines.ts';
import { gather } from '../gather.ts';
import { jsonRoute } from '../route.ts';
import {
  applyQuery,
  carriedSchema,
  narrowSchema,
  newPlanSchema,
  outcomeSchema,
  planDocumentSchema,
} from '../schemas/run-schemas.ts';
import { progressSchema } from '../schemas/values.ts';

/** A plan reads the whole home. */
const HEAVY = 1000;

export const planRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/api/plans',
    scope: 'manage',
    summary:
      'Say what the rules, or a request by hand, would do now, and why. Kept for a day, so that it can be applied.',
    cost: HEAVY,
    body: newPlanSchema,
    answer: planDocumentSchema,
    status: 201,
    location: ({ id }) => `/api/plans/${encodeURIComponent(id)}`,
    tells: progressSchema,
    handle: async ({ parts: { home, clock }, body, tell, signal }) => {
      const options = { signal, onProgress: throttled(tell) };
      const plan = await home.plan(body.request && readPlanRequest(body.request), options);
      savePlan(home.plansHome, plan, clock.now());
      return planDocument(plan);
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/plans/{id}',
    scope: 'read',
    summary: 'Show a plan that was made within the last day.',
    answer: planDocumentSchema,
    handle: ({ parts: { home }, id }) => planDocument(loadPlan(home.plansHome, id)),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/plans/{id}/narrow',
    scope: 'manage',
    summary: 'The same plan without the items with these ids, which stay. Kept for a day beside it.',
    cost: HEAVY,
    body: narrowSchema,
    answer: planDocumentSchema,
    status: 201,
    location: ({ id }) => `/api/plans/${encodeURIComponent(id)}`,
    handle: async ({ parts: { home, clock }, id, body }) => {
      const plan = await (await home.retention()).narrow(loadPlan(home.plansHome, id), body.ids);
      savePlan(home.plansHome, plan, clock.now());
      return planDocument(plan);
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/plans/{id}/apply',
    scope: 'manage',
    summary: 'Carry out a plan: nothing more than it says, and only what has not changed since.',
    cost: HEAVY,
    query: applyQuery,
    answer: carriedSchema,
    repeat: 'once',
    tells: outcomeSchema,
    handle: async ({ parts: { home }, id, query: { forGood = false }, tell, signal }) => {
      const plan = loadPlan(home.plansHome, id);
      const carried = await carryOut(plan, { tell, signal }, (options) => home.apply(plan, { ...options, forGood }));
      if (carried.run !== undefined) dropPlan(home.plansHome, id);
      return carried;
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/plans/apply',
    scope: 'manage',
    summary:
      'Carry out a plan of this home that is not kept here. It is judged again: only what would be decided now in the same way is done.',
    cost: HEAVY,
    query: applyQuery,
    body: planDocumentSchema,
    answer: carriedSchema,
    repeat: 'once',
    tells: outcomeSchema,
    handle: async ({ parts: { home }, body, query: { forGood = false }, tell, signal }) => {
      const plan = planOf(body as PlanDocument, 'the body');
      return carryOut(plan, { tell, signal }, (options) => home.apply(plan, { ...options, forGood }));
    },
  }),
] as const;

async function carryOut(
  { decisions }: Plan,
  { tell, signal }: { readonly tell: Parameters<typeof gather>[0]; readonly signal: AbortSignal },
  apply: (options: ApplyOptions) => Promise<AppliedRun>,
) {
  if (!decisions.some(isRemoval)) return carriedDocument(NOTHING_DONE);
  const { outcomes, onOutcome } = gather(tell);
  const { run, freedBytes } = await apply({ signal, onOutcome });
  return carriedDocument({ run, outcomes, freedBytes, interrupted: false });
}

const NOTHING_DONE = { outcomes: [], freedBytes: 0, interrupted: false };
