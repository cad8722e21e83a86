import { join } from 'node:path';
import { scanCheckpoints } from '../../checkpoints/scan-checkpoints.ts';
import { findLegacy } from '../../checkpoints/store/find-legacy.ts';
import { findStore } from '../../checkpoints/store/open-store.ts';
import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import { type Inventory, movePart, type SessionItem, type StrayItem } from '../../core/retention/inventory.ts';
import type { PlanRequest } from '../../core/retention/plan.ts';
import { useOf } from '../../core/sessions/in-use.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { findDamage } from '../../homes/hermes/database/check-hermes-database.ts';
import { findHermesCopies } from '../../homes/hermes/sessions/hermes-copies.ts';
import { trashItems } from '../../homes/native/scan-native.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import { GitError } from '../../platform/git/run-git.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { scanCompanion } from '../hermes/companion-checkpoints.ts';
import { findHermesLegacy, scanHermesCheckpoints, withHermesCheckpoints } from '../hermes/hermes-inventory.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseUnknown } from '../retention/said-gone.ts';
import { activeQuery } from '../sessions/active-sessions.ts';
import { recallSightings } from './checkpoint-sightings.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';

/** An inventory with what the store of checkpoints holds, if there is one. */
async function withCheckpoints(parts: HomeParts, inventory: Inventory, active: readonly string[]): Promise<Inventory> {
  const { foreign, clock } = parts;
  const sightings = await recallSightings(parts);
  if (foreign !== undefined) {
    const scan = await scanHermesCheckpoints(foreign.path, { active, sightings, now: clock.now() });
    return withHermesCheckpoints(inventory, scan, await scanCompanion(parts, inventory.trash));
  }
  const store = findStore(checkpointStoreOptions(parts));
  if (store === undefined) return inventory;
  const scan = await scanCheckpoints(store, { active, sightings });
  const trash = inventory.trash.map((item) => {
    const ours = scan.trash.get(item.id);
    if (ours?.items !== item.itemCount) return item;
    return { ...item, sizeBytes: ours.sizeBytes, onlyCheckpoints: true as const };
  });
  const trashedBytes = [...scan.trash.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    ...inventory,
    trash,
    checkpoints: scan.items,
    checkpointBytes: scan.diskBytes + scan.indexBytes,
    checkpointSpare: { garbageBytes: scan.deadBytes, cacheBytes: scan.indexBytes },
    problems: [...inventory.problems, ...scan.problems],
    // What is in the trash is in the store still, which was measured as a whole.
    disk: movePart(inventory.disk, { from: 'checkpoints', to: 'trash', bytes: trashedBytes }),
  };
}

/** Sessions are looked after also where checkpoints cannot be, such as without git or with a store of a newer version. */
export async function withReadableCheckpoints(parts: HomeParts, inventory: Inventory): Promise<Inventory> {
  try {
    // An open session or a route is no work in a folder, and may last for years. Hermes does not tell when a session was used.
    const works = (session: SessionItem) =>
      parts.foreign === undefined ? session.active : useOf(session) !== undefined;
    const active = inventory.sessions.filter(works);
    return await withCheckpoints(parts, inventory, realWorkdirs(active));
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
  const all = await withCheckpoints(parts, inventory, realWorkdirs(active));
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
  if (request.kind === 'clear-legacy') return legacyOf(parts);
  if (request.kind !== 'clear-copies' || parts.foreign === undefined) return [];
  const damage = await findDamage(parts.foreign.path);
  if (damage === undefined) return findHermesCopies(parts.foreign.path);
  throw new Failure('refused', `${damage.message} A copy may be what it is mended with, so all of them stay.`, {
    hint: `Nothing was changed. ${damage.hint ?? ''}`.trim(),
  });
}

/** Layouts of before. */
export function legacyOf({ layout, foreign }: HomeParts): readonly StrayItem[] {
  return foreign === undefined ? findLegacy(join(layout.root, 'checkpoints')) : findHermesLegacy(foreign.path);
}

/** Where sessions are at work, as projects are named. */
function realWorkdirs(sessions: readonly { readonly workdir?: string }[]): readonly string[] {
  const workdirs = new Set(sessions.flatMap(({ workdir }) => workdir ?? []));
  return [...workdirs].map(realPathIfThere);
}
