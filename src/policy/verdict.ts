import type { KeepReason, RemoveAction, RemoveReason } from '../core/retention/plan.ts';

export type Removal = { readonly action: RemoveAction; readonly reason: RemoveReason };

/** What becomes of something, and why. */
export type Verdict = { readonly action: 'keep'; readonly reason: KeepReason } | Removal;
