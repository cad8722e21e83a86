import { resolve } from 'node:path';
import type { Plan } from '../../core/retention/plan.ts';
import { unlessFailure } from '../../core/unless-failure.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { ownHome } from '../home-path.ts';
import { loadPlan, readPlanFile } from '../retention/load-plan.ts';
import { isPlanId } from '../retention/saved-plans.ts';
import { NATIVE } from './home-names.ts';
import type { KnownHome } from './known-homes.ts';

/** The home that a plan was made for, by its id or its file; undefined where it is none of these. The home itself checks the plan again. */
export function homeOfPlan(name: string, homes: readonly KnownHome[], cwd: string): KnownHome | undefined {
  const plan = isPlanId(name) ? savedPlan(name, homes) : ifReadable(() => readPlanFile(resolve(cwd, name)));
  if (plan === undefined) return undefined;
  const place = realPathIfThere(plan.home.path);
  return homes.find(({ path }) => realPathIfThere(path) === place);
}

/** Plans for homes of other agents are kept in this person's own home. */
function savedPlan(id: string, homes: readonly KnownHome[]): Plan | undefined {
  const native = homes.filter(({ kind }) => kind === NATIVE).map(({ path }) => path);
  for (const path of new Set([...native, ownHome()])) {
    const plan = ifReadable(() => loadPlan(path, id));
    if (plan !== undefined) return plan;
  }
  return undefined;
}

/** Whoever applies it says what is wrong with it. */
function ifReadable(read: () => Plan): Plan | undefined {
  try {
    return read();
  } catch (error) {
    unlessFailure(error);
    return undefined;
  }
}
