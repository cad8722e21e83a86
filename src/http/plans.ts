import { isRemoval, planDocument } from '../app/documents/plan-document.ts';
import { readPlanRequest } from '../app/documents/read-plan-document.ts';
import { carriedDocument } from '../app/documents/run-document.ts';
import { dropPlan, loadPlan, savePlan } from '../app/saved-plans.ts';
import { throttled } from './answer-lines.ts';
import { gather } from './gather.ts';
import { jsonRoute } from './route.ts';
import { carriedSchema, newPlanSchema, outcomeSchema, planDocumentSchema } from './schemas/run-schemas.ts';
import { progressSchema } from './schemas/values.ts';

/** A plan reads the whole home. */
const HEAVY = 1000;

export const planRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/api/plans',
    summary:
      'Say what the rules, or a request by hand, would do now, and why. Kept for a day, so that it can be applied.',
    cost: HEAVY,
    body: newPlanSchema,
    answer: planDocumentSchema,
    status: 201,
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
    summary: 'Show a plan that was made within the last day.',
    answer: planDocumentSchema,
    handle: ({ parts: { home }, id }) => planDocument(loadPlan(home.plansHome, id)),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/plans/{id}/apply',
    summary: 'Carry out a plan: nothing more than it says, and only what has not changed since.',
    cost: HEAVY,
    answer: carriedSchema,
    tells: outcomeSchema,
    handle: async ({ parts: { home }, id, tell, signal }) => {
      const plan = loadPlan(home.plansHome, id);
      if (!plan.decisions.some(isRemoval)) return carriedDocument(NOTHING_DONE);
      const { outcomes, onOutcome } = gather(tell);
      const { run, freedBytes } = await home.apply(plan, { signal, onOutcome });
      dropPlan(home.plansHome, id);
      return carriedDocument({ run, outcomes, freedBytes, interrupted: false });
    },
  }),
] as const;

const NOTHING_DONE = { outcomes: [], freedBytes: 0, interrupted: false };
