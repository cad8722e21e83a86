import { join } from 'node:path';
import { findLegacy } from '../checkpoints/find-legacy.ts';
import { findStore } from '../checkpoints/open-store.ts';
import { isAtWork, scanCheckpoints } from '../checkpoints/scan-checkpoints.ts';
import { Failure } from '../core/failure.ts';
import type { Inventory, StrayItem } from '../core/inventory.ts';
import type { PlanRequest } from '../core/plan.ts';
import type { Problem } from '../core/problem.ts';
import type { SessionFacts } from '../core/session.ts';
import { judgeClock } from '../homes/native/clock-watch.ts';
import { trashItems } from '../homes/native/scan-native.ts';
import { freeBytes } from '../platform/file-system-facts.ts';
import { realPathIfThere } from '../platform/real-path-if-there.ts';
import { GitError } from '../platform/run-git.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';
import { findHermesLegacy, scanHermesCheckpoints, withHermesCheckpoints } from './hermes/hermes-inventory.ts';
import type { HomeParts } from './home-parts.ts';
import { activeQuery } from './sessions/active-sessions.ts';

/** An inventory with what the store of checkpoints holds, if there is one. */
async function withCheckpoints(parts: HomeParts, inventory: Inventory, active: readonly string[]): Promise<Inventory> {
  const { foreign } = parts;
  if (foreign !== undefined) {
    const scan = await scanHermesCheckpoints(foreign.path, (workdir) => isAtWork(workdir, active));
    return withHermesCheckpoints(inventory, scan);
  }
  const store = findStore(checkpointStoreOptions(parts));
  if (store === undefined) return inventory;
  const scan = await scanCheckpoints(store, active);
  const trash = inventory.trash.map((item) => {
    const ours = scan.trash.get(item.id);
    if (ours?.items !== item.itemCount) return item;
    return { ...item, sizeBytes: ours.sizeBytes, onlyCheckpoints: true as const };
  });
  const { usedBytes, freeBytes: free } = inventory.disk;
  return {
    ...inventory,
    trash,
    checkpoints: scan.items,
    checkpointBytes: scan.diskBytes - scan.deadBytes,
    problems: [...inventory.problems, ...scan.problems],
    disk: { usedBytes: usedBytes + scan.diskBytes + scan.indexBytes, freeBytes: free },
  };
}

/** Sessions are looked after also where checkpoints cannot be, such as without git or with a store of a newer version. */
export async function withReadableCheckpoints(parts: HomeParts, inventory: Inventory): Promise<Inventory> {
  try {
    const active = inventory.sessions.filter((session) => session.active);
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
  if (request.kind !== 'checkpoints' && request.kind !== 'clear-checkpoints' && request.kind !== 'clear-legacy')
    return undefined;
  const { store, layout, clock, foreign } = parts;
  const now = clock.now();
  const inventory: Inventory = {
    home: { id: foreign?.path ?? (await store.getMeta('home-id')) ?? '', path: foreign?.path ?? layout.root },
    scannedAt: now,
    sessions: [],
    strays: request.kind === 'clear-legacy' ? legacyOf(parts) : [],
    trash: request.kind === 'checkpoints' ? await trashItems(parts) : [],
    archives: [],
    checkpoints: [],
    checkpointBytes: 0,
    problems: [],
    disk: { usedBytes: 0, freeBytes: freeBytes(foreign?.path ?? layout.root) },
    doubts: (await judgeClock(store, now)) === 'suspect' ? ['clock-suspect'] : [],
  };
  if (request.kind === 'clear-legacy') return inventory;
  const active: SessionFacts[] = [];
  for await (const session of store.list({ active: await activeQuery(parts) })) active.push(session);
  return withCheckpoints(parts, inventory, realWorkdirs(active));
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
