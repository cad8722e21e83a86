import { type Inventory, itemBytes } from '../../core/retention/inventory.ts';
import type { Policy } from '../../core/retention/policy.ts';
import { rulesBySource } from '../rules-by-source.ts';

/** A session that is larger than the rules of its source allow one to be, with the limits that it exceeds. */
export interface OversizedSession {
  readonly id: string;
  readonly source: string;
  readonly title?: string;
  /** It can still grow. */
  readonly open: boolean;
  readonly messageCount: number;
  readonly sizeBytes: number;
  readonly maxMessages?: number;
  readonly maxBytes?: number;
}

/** The largest first. What becomes of them is for others to say: no rule removes a session because of its size alone. */
export function oversizedSessions({ sessions }: Pick<Inventory, 'sessions'>, policy: Policy): OversizedSession[] {
  const rulesFor = rulesBySource(policy, { kind: 'policy' });
  const found: OversizedSession[] = [];
  for (const session of sessions) {
    const { id, source, title, endedAt, messageCount } = session;
    const { maxMessages = Infinity, maxBytes = Infinity } = rulesFor(source);
    const sizeBytes = itemBytes(session);
    if (messageCount <= maxMessages && sizeBytes <= maxBytes) continue;
    found.push({
      id,
      source,
      ...(title !== undefined && { title }),
      open: endedAt === undefined,
      messageCount,
      sizeBytes,
      ...(messageCount > maxMessages && { maxMessages }),
      ...(sizeBytes > maxBytes && { maxBytes }),
    });
  }
  return found.toSorted(
    (a, b) => b.sizeBytes - a.sizeBytes || b.messageCount - a.messageCount || (a.id < b.id ? -1 : 1),
  );
}
