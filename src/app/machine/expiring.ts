import type { Inventory } from '../../core/retention/inventory.ts';
import { type ItemRef, isRemoval, type RemoveAction, type RemoveReason } from '../../core/retention/plan.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import type { AgentRetention, AgentSetting } from '../../homes/home-kind.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import type { HomeParts } from '../home-parts.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';
import type { Retention, RetentionOptions } from '../retention/retention.ts';
import { threatenedSessions } from './threatened-sessions.ts';

/** Something that is about to go, and who lets go of it. */
export type ExpiringItem = ExpiringByRules | ExpiringByAgent;

interface Expiring {
  readonly item: ItemRef;
  readonly title?: string;
  readonly sizeBytes: number;
  /** When it may go at the earliest, to the day. What may go already says now. */
  readonly at: EpochMs;
}

/** Our rules: it goes with a pass that somebody makes or has switched on, into the trash first. */
export interface ExpiringByRules extends Expiring {
  readonly by: 'rules';
  readonly action: RemoveAction;
  readonly reason: RemoveReason;
}

/** Its agent, which asks nobody and keeps nothing. */
export interface ExpiringByAgent extends Expiring {
  readonly by: 'agent';
  /** Our rules would keep it. */
  readonly kept: boolean;
  /** It is archived before, by an unattended pass. */
  readonly rescued: boolean;
}

export interface HomeExpiring {
  /** The first to go comes first. */
  readonly items: readonly ExpiringItem[];
  /** Our rules are carried out without anybody asking for it. */
  readonly unattended: boolean;
  /** What its agent is set to, where it deletes by itself. */
  readonly own?: AgentSetting;
}

/** So many days are looked at one by one; more are looked at in longer steps. */
const MOST_STEPS = 60;

/** What our rules, and the agent of a home, are about to let go of. Changes nothing. */
export async function expiringOf(
  parts: HomeParts,
  retention: Retention,
  { withinMs, ...options }: RetentionOptions & { readonly withinMs: number },
): Promise<HomeExpiring> {
  const inventory = await retention.scan(options);
  const own = await parts.foreign?.retention?.();
  const found = byRules(parts, inventory, withinMs);
  for (const each of byAgent(parts, inventory, { own, withinMs })) {
    const key = keyOf(each.item);
    const before = found.get(key);
    // Whoever comes first lets go of it.
    if (before === undefined || each.at <= before.at) found.set(key, each);
  }
  return {
    items: [...found.values()].toSorted((a, b) => a.at - b.at || (keyOf(a.item) < keyOf(b.item) ? -1 : 1)),
    unattended: parts.config.sessions.auto_prune,
    ...(own !== undefined && { own: settingOf(own) }),
  };
}

/** What an agent is set to, without when that is for each of its sessions. */
function settingOf({ deletesAt: _deletesAt, ...setting }: AgentRetention): AgentSetting {
  return setting;
}

function keyOf({ kind, id }: ItemRef): string {
  return `${kind} ${id}`;
}

/** The rules are asked once for each day to come, as if nothing were used until then. */
function byRules({ config }: HomeParts, inventory: Inventory, withinMs: number): Map<string, ExpiringItem> {
  const policy = policyFromConfig(config);
  const titles = new Map(inventory.sessions.map(({ id, title }) => [id, title]));
  const found = new Map<string, ExpiringItem>();
  const step = Math.max(DAY_MS, Math.ceil(withinMs / MOST_STEPS / DAY_MS) * DAY_MS);
  for (let passed = 0; passed <= withinMs; passed += step) {
    const at = inventory.scannedAt + passed;
    for (const decision of planRetention(inventory, { policy, now: at }).decisions) {
      if (!isRemoval(decision) || found.has(keyOf(decision.item))) continue;
      const { item, sizeBytes, action, reason } = decision;
      const title = item.kind === 'session' ? titles.get(item.id) : undefined;
      found.set(keyOf(item), {
        item,
        ...(title !== undefined && { title }),
        sizeBytes,
        at,
        by: 'rules',
        action,
        reason,
      });
    }
  }
  return found;
}

function byAgent(
  { config }: HomeParts,
  inventory: Inventory,
  { own, withinMs }: { readonly own: AgentRetention | undefined; readonly withinMs: number },
): ExpiringByAgent[] {
  if (own === undefined) return [];
  const now = inventory.scannedAt;
  const until = now + withinMs;
  const threatened = new Set(threatenedSessions(inventory, own, { until, config }).map(({ session }) => session.id));
  return inventory.sessions.flatMap((session): ExpiringByAgent[] => {
    const at = own.deletesAt.get(session.id);
    if (at === undefined || at > until) return [];
    const { id, title, bytes } = session;
    const kept = threatened.has(id);
    return [
      {
        item: { kind: 'session', id },
        ...(title !== undefined && { title }),
        sizeBytes: bytes.rows + bytes.transcript + bytes.dumps + bytes.other,
        at: Math.max(at, now),
        by: 'agent',
        kept,
        rescued: kept && config.homes.rescue,
      },
    ];
  });
}
