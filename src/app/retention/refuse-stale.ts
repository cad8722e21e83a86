import { Failure } from '../../core/failure.ts';
import type { Plan } from '../../core/retention/plan.ts';
import { DAY_MS } from '../../core/time.ts';
import type { HomeParts } from '../home-parts.ts';
import { wasApplied } from './applied-plans.ts';
import { planId } from './plan-id.ts';

/** A saved plan is good for a day: after that the home has moved on. */
export const PLAN_LIFETIME_MS = DAY_MS;

/** Refuses a plan of another home, of another day, that was applied already, or that was never meant to be applied. */
export async function refuseStale({ store, clock, foreign }: HomeParts, plan: Plan): Promise<void> {
  if (plan.onlyShown === true) {
    throw new Failure(
      'refused',
      'This plan was made while the configuration had a mistake or the home was only shown, so it is only to look at.',
      {
        hint: 'Nothing was changed. Make a new one with: coppice plan',
      },
    );
  }
  if (plan.home.id !== (foreign?.path ?? (await store.getMeta('home-id')))) {
    throw new Failure('refused', 'This plan was made for another home.', {
      hint: 'Make a new one with: coppice plan',
    });
  }
  if (clock.now() - plan.madeAt > PLAN_LIFETIME_MS) {
    throw new Failure('refused', 'This plan is more than a day old.', { hint: 'Make a new one with: coppice plan' });
  }
  if (await wasApplied(store, planId(plan))) {
    throw new Failure('refused', 'This plan was applied already. A plan is good for one time.', {
      hint: 'Nothing was changed. Make a new one with: coppice plan',
    });
  }
}
