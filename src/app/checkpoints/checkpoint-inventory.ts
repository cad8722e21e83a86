import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { Inventory, SessionItem, StrayItem } from '../../core/retention/inventory.ts';
import type { PlanRequest } from '../../core/retention/plan.ts';
import { useOf } from '../../core/sessions/in-use.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import { trashItems } from '../../keeping/trash-items.ts';
import { GitError } from '../../platform/git/run-git.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseUnknown } from '../retention/said-gone.ts';
import { activeQuery } from '../sessions/active-sessions.ts';
import { checkpointsOf } from './checkpoints-of.ts';

/** Sessions are looked after also where checkpoints cannot be, such as without git or with a store of a newer version. */
export async function withReadableCheckpoints(parts: HomeParts, inventory: Inventory): Promise<Inventory> {
  try {
    const checkpoints = checkpointsOf(parts);
    // An open session or a route is no work in a folder, and may last for years. Not every agent tells when a session was used.
    const works = (session: SessionItem) => (checkpoints.knowsUse ? session.active : useOf(session) !== undefined);
    return await checkpoints.addTo(inventory, realWorkdirs(inventory.sessions.filter(works)));
  } catch (error) {
    if (!(error instanceof Failure || error instanceof GitError)) throw error;
    const hint = error instanceof Failure ? error.hint : 'Look closer with: coppice checkpoints verify';
    const problem: Problem = {
      kind: 'checkpoints-unreadable',
      subject: 'checkpoints/store',
      message: `No checkpoint is looked at: ${error.message}`,
      ...(hint !== undefined && { hint }),
    };
    return { ...inventory, problems: [...inventory.problems, problem] };
  }
}

/** What requests about checkpoints alone need to know: no session is looked at. `undefined` for all other requests. */
export async function checkpointInventory(parts: HomeParts, request: PlanRequest): Promise<Inventory | undefined> {
  if (!WITHOUT_SESSIONS.has(request.kind)) return undefined;
  const { store, layout, clock, foreign } = parts;
  const now = clock.now();
  const inventory: Inventory = {
    home: { id: foreign?.path ?? (await store.getMeta('home-id')) ?? '', path: foreign?.path ?? layout.root },
    scannedAt: now,
    sessions: [],
    strays: await straysFor(parts, request),
    trash: request.kind === 'checkpoints' ? await trashItems(parts) : [],
    archives: [],
    checkpoints: [],
    checkpointBytes: 0,
    problems: [],
    disk: { usedBytes: 0, freeBytes: freeBytes(foreign?.path ?? layout.root) },
    doubts: (await judgeClock(store, clock)) === 'suspect' ? ['clock-suspect'] : [],
  };
  if (request.kind !== 'checkpoints' && request.kind !== 'clear-checkpoints') return inventory;
  const active: SessionFacts[] = [];
  for await (const session of store.list({ active: await activeQuery(parts) })) active.push(session);
  const all = await checkpointsOf(parts).addTo(inventory, realWorkdirs(active));
  refuseUnknown(request, all);
  return all;
}

const WITHOUT_SESSIONS: ReadonlySet<PlanRequest['kind']> = new Set<PlanRequest['kind']>([
  'checkpoints',
  'clear-checkpoints',
  'clear-legacy',
  'clear-copies',
]);

async function straysFor(parts: HomeParts, request: PlanRequest): Promise<readonly StrayItem[]> {
  if (request.kind === 'clear-legacy') return checkpointsOf(parts).legacy();
  return request.kind === 'clear-copies' ? ((await parts.foreign?.copies()) ?? []) : [];
}

/** Where sessions are at work, as projects are named. */
function realWorkdirs(sessions: readonly { readonly workdir?: string }[]): readonly string[] {
  const workdirs = new Set(sessions.flatMap(({ workdir }) => workdir ?? []));
  return [...workdirs].map(realPathIfThere);
}
