import { CLEAN_UPS, type CleanUp } from '../core/retention/clean-up.ts';
import type { Inventory } from '../core/retention/inventory.ts';
import { isRemoval, type PlanRequest, type Removal } from '../core/retention/plan.ts';
import type { Policy } from '../core/retention/policy.ts';
import type { EpochMs } from '../core/time.ts';
import { decideSession } from './decisions-of.ts';
import { membersOf } from './find-lineages.ts';
import { judgeInventory } from './judge-inventory.ts';
import { judgeLineage } from './judge-lineage.ts';
import { planRetention } from './plan-retention.ts';
import { ARCHIVED_PART } from './pressure/bytes-left.ts';
import { ruleContext } from './rule-context.ts';

type Command = CleanUp['command'];

/** What each command would take. */
export type CleanUpRemovals = ReadonlyMap<Command, readonly Removal[]>;

interface Asked {
  readonly policy: Policy;
  readonly now: EpochMs;
}

/** What a plan for each command would remove now, were it typed without a limit of its own. */
export function planCleanUps(inventory: Inventory, { policy, now }: Asked): CleanUpRemovals {
  // Limits of size are for the rules as a whole, and no command of these.
  const disk = { ...policy.disk, maxBytes: undefined, minFreeBytes: undefined, bySource: {} };
  const asked = { policy: { ...policy, disk }, now };
  const ofSessions = sessionRemovals(inventory, asked);
  const ofOthers = otherRemovals(inventory, asked);
  return new Map(
    CLEAN_UPS.map((command) => [command, [...(ofOthers.get(command) ?? []), ...(ofSessions.get(command) ?? [])]]),
  );
}

/** The commands that would free anything, by how much: what would free most comes first. */
export function rankCleanUps(removals: CleanUpRemovals): CleanUp[] {
  return [...removals]
    .map(([command, going]) => {
      return { command, items: going.length, sizeBytes: going.reduce((sum, removal) => sum + freed(removal), 0) };
    })
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes || CLEAN_UPS.indexOf(a.command) - CLEAN_UPS.indexOf(b.command));
}

const SESSION_REQUESTS: readonly (readonly [Command, PlanRequest])[] = [
  ['sessions prune', { kind: 'prune', filter: {}, part: 'all' }],
  ['sessions prune --files-only', { kind: 'prune', filter: {}, part: 'files' }],
  ['sessions gc', { kind: 'gc', filter: {} }],
  ['sessions archive', { kind: 'archive', filter: {} }],
];

/**
 * Without limits of their own these requests all go by the limits of the policy, so conversations and floors, which take longest to
 * find among 100 000 sessions, are found once.
 */
function sessionRemovals(inventory: Inventory, asked: Asked): ReadonlyMap<Command, readonly Removal[]> {
  const { lineages } = judgeInventory(sessionsOf(inventory), ruleContext(inventory, asked));
  return new Map(
    SESSION_REQUESTS.map(([command, request]) => {
      const context = ruleContext(inventory, { ...asked, request });
      const removals: Removal[] = [];
      for (const lineage of lineages) {
        lineage.rule = judgeLineage(lineage, context);
        if (lineage.rule.action === 'keep') continue;
        for (const member of membersOf(lineage)) {
          const decision = decideSession(member, lineage, context);
          if (isRemoval(decision)) removals.push(decision);
        }
      }
      return [command, removals];
    }),
  );
}

/** Files that no session owns, trash and checkpoints. */
function otherRemovals(inventory: Inventory, asked: Asked): ReadonlyMap<Command, readonly Removal[]> {
  const others = { ...inventory, sessions: [] };
  const removals = (request: PlanRequest) => planRetention(others, { ...asked, request }).decisions.filter(isRemoval);
  return new Map<Command, readonly Removal[]>([
    ['sessions prune --files-only', removals({ kind: 'prune', filter: {}, part: 'files' })],
    ['trash empty --expired', removals({ kind: 'policy' }).filter(({ reason }) => reason === 'trash-expired')],
    [
      'checkpoints prune',
      removals({ kind: 'checkpoints', keepOrphans: false }).filter(({ item }) => item.kind === 'checkpoint'),
    ],
  ]);
}

function sessionsOf(inventory: Inventory): Inventory {
  return { ...inventory, strays: [], trash: [], archives: [], checkpoints: [] };
}

function freed({ action, sizeBytes }: Removal): number {
  return action === 'archive' ? Math.floor(sizeBytes * (1 - ARCHIVED_PART)) : sizeBytes;
}
