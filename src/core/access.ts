import type { EpochMs } from './time.ts';

/** What a token lets its bearer do over HTTP. None of them includes another. */
export const SCOPES = ['read', 'append', 'manage', 'run'] as const;

export type Scope = (typeof SCOPES)[number];

/** The same in words. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'read sessions, messages, figures and events',
  append: 'start, continue and end sessions, and report what they use; it removes nothing',
  manage: 'change, remove and give back what is kept, and read settings and the audit log',
  run: 'see jobs and start them',
};

/** Who sends a request, as the token says. */
export interface Bearer {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** From then on the token is good for nothing; absent when it stays good until it is revoked. */
  readonly expiresAt?: EpochMs;
}

/** Whoever has the token that `coppice serve` makes itself. */
export const OWNER: Bearer = { name: 'owner', scopes: SCOPES };
