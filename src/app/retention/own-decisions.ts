import { type Decision, isRemoval, type KeepReason, type Plan, type Removal } from '../../core/retention/plan.ts';
import { IN_USE } from '../../core/sessions/in-use.ts';
import { staleRemovals } from './stale-removals.ts';

/** Removals that a home does not decide itself. */
export interface ForeignRemovals {
  readonly stale: readonly Removal[];
  has(decision: Decision): boolean;
  /** Why one of them stays, as a sentence about it. */
  why(removal: Removal): string;
}

/**
 * Which decisions a home made itself. A plan is data: it may come from a file, over the network or from a program, and say anything.
 * What the home did not decide is judged again, so that nothing goes that its own scan and rules would not let go in the same way.
 */
export class OwnDecisions {
  readonly #made = new WeakSet<Decision>();

  /** Notes what a plan says, which cannot be changed from then on. */
  note(plan: Plan): Plan {
    for (const decision of plan.decisions.filter(isRemoval)) {
      Object.freeze(decision.item);
      this.#made.add(Object.freeze(decision));
    }
    return plan;
  }

  /** The removals of a plan that are not this home's own and that a fresh plan of the same request does not hold. */
  async foreignTo(
    plan: Plan,
    { forGood = false, replan }: { readonly forGood: boolean | undefined; readonly replan: () => Promise<Plan> },
  ): Promise<ForeignRemovals> {
    const others = plan.decisions.filter(isRemoval).filter((decision) => !this.#made.has(decision));
    const fresh = others.length === 0 ? plan : await replan();
    const stale = others.length === 0 ? [] : staleRemovals({ ...plan, decisions: others }, fresh, { forGood });
    const among: ReadonlySet<Decision> = new Set(stale);
    return { stale, has: (decision) => among.has(decision), why: (removal) => whyKept(removal, fresh) };
  }
}

const HELD: Readonly<Record<string, string>> = { ...IN_USE, pinned: 'It is pinned.' };

function whyKept({ item, fingerprint }: Removal, { decisions }: Plan): string {
  const now = decisions.find((each) => each.item.kind === item.kind && each.item.id === item.id);
  if (now === undefined) return CHANGED;
  if (!isRemoval(now)) return HELD[now.reason] ?? (BY_SETTINGS.has(now.reason) ? KEPT_NOW : CHANGED);
  return now.fingerprint === fingerprint ? 'The rules in force would remove it in another way.' : CHANGED;
}

/** Reasons to stay that settings alone can make and take away. */
const BY_SETTINGS: ReadonlySet<KeepReason> = new Set<KeepReason>(['not-expired', 'keep-last', 'tagged']);

const CHANGED = 'It has changed since the plan was made.';

/** What a plan keeps has no fingerprint, so which of the two has changed is not known. */
const KEPT_NOW =
  'The rules in force keep it as it is now. A plan that was made with --set is applied with the same --set.';
