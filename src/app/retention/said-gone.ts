import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { isAtOrBelow } from '../../core/retention/checkpoint.ts';
import type { Inventory } from '../../core/retention/inventory.ts';
import type { PlanRequest } from '../../core/retention/plan.ts';
import { expandTilde } from '../../platform/machine/user-home.ts';

/** A request in which a folder that a person says is gone has the name that projects go by. Refuses one that is there. */
export function withSaidGone(request: PlanRequest): PlanRequest {
  if (request.kind !== 'clear-checkpoints' || request.gone === undefined) return request;
  const gone = resolve(expandTilde(request.gone));
  if (existsSync(gone)) throw isThere(gone);
  return { ...request, gone: realNameOf(gone) };
}

/** Somebody who mistypes a name should hear of it. */
export function refuseUnknown(request: PlanRequest, { checkpoints }: Pick<Inventory, 'checkpoints'>): void {
  if (request.kind !== 'clear-checkpoints' || request.gone === undefined) return;
  const { gone } = request;
  if (checkpoints.some(({ workdir }) => isAtOrBelow(workdir, gone))) return;
  throw new Failure('not-found', `There are no checkpoints of ${gone}, nor of any folder below it.`, {
    hint: 'See which folders have some with: coppice checkpoints status',
  });
}

/** Links above what is missing count all the same. */
function realNameOf(path: string): string {
  const above = dirname(path);
  if (above === path) return path;
  return join(existsSync(above) ? realpathSync(above) : realNameOf(above), basename(path));
}

function isThere(path: string): Failure {
  return new Failure('refused', `${path} is there, so it is not gone.`, {
    hint: 'Nothing was changed. Remove its checkpoints by age, number or size with: coppice checkpoints prune',
  });
}
