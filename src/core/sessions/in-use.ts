import type { EpochMs } from '../time.ts';
import { endedByAccident } from './end-reasons.ts';

/**
 * What "in use" means, for every kind of home: nothing that is in use is ever removed, archived or parted from its files, whoever
 * asks and whatever the reason. A session is in use while a living process holds it or it was used a moment ago (`active`), while
 * the next message at some key goes on in it (`routed`), and while nobody has ended it (`open`).
 */
export const USES = ['active', 'routed', 'open'] as const;
export type Use = (typeof USES)[number];

/** What a home knows about the use of a session. How it comes to know it is each driver's own matter. */
export interface UseFacts {
  readonly active: boolean;
  readonly routed?: boolean;
  readonly endedAt?: EpochMs;
}

/** Whether a session is in use in this one way. */
export function isUsed({ active, routed, endedAt }: UseFacts, use: Use): boolean {
  if (use === 'active') return active;
  return use === 'routed' ? routed === true : endedAt === undefined;
}

/** Why a session is in use, the strongest reason first; undefined when it is not. */
export function useOf(session: UseFacts): Use | undefined {
  return USES.find((use) => isUsed(session, use));
}

/**
 * Whether the next message at a key that names this session would go on in it. One that ended on purpose only waits there to be
 * replaced, so it answers nobody any more; after an accident the conversation goes on where it was.
 */
export function goesOn({ endedAt, endReason }: { readonly endedAt?: EpochMs; readonly endReason?: string }): boolean {
  return endedAt === undefined || endedByAccident(endReason);
}

/** Why a session that is in use stays, as a sentence about it. */
export const IN_USE: Readonly<Record<Use, string>> = {
  active: 'A process is using it.',
  routed: 'It answers a route.',
  open: 'It is still open.',
};
