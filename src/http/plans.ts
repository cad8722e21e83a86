import { isRemoval, planDocument } from '../app/documents/plan-document.ts';
import { readPlanRequest } from '../app/documents/read-plan-document.ts';
import { carriedDocument } from '../app/documents/run-document.ts';
import { dropPlan, loadPlan, savePlan } from '../app/saved-plans.ts';
import type { Outcome } from '../core/run.ts';
import { jsonRoute, type Route } from './route.ts';
import { carriedSchema, newPlanSchema, planDocumentSchema } from './schemas/run-schemas.ts';

/** A plan reads the whole home. */
const HEAVY = 1000;

export const planRoutes: readonly Route[] = [
  jsonRoute({
    method: 'POST',
    path: '/api/plans',
    summary:
      'Say what the rules, or a request by hand, would do now, and why. Kept for a day, so that it can be applied.',
    cost: HEAVY,
    body: newPlanSchema,
    answer: planDocumentSchema,
    status: 201,
    handle: async ({ parts: { home, clock, signal }, body }) => {
      const plan = await home.plan(body.request && readPlanRequest(body.request), { signal });
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
    handle: async ({ parts: { home, signal }, id }) => {
      const plan = loadPlan(home.plansHome, id);
      if (!plan.decisions.some(isRemoval)) return carriedDocument(NOTHING_DONE);
      const outcomes: Outcome[] = [];
      const { run, freedBytes } = await home.apply(plan, { signal, onOutcome: (one) => outcomes.push(one) });
      dropPlan(home.plansHome, id);
      return carriedDocument({ run, outcomes, freedBytes, interrupted: false });
    },
  }),
];

const NOTHING_DONE = { outcomes: [], freedBytes: 0, interrupted: false };
