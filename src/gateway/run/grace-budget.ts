import { GUARDS, RATE_NAMES } from '../../core/gateway/guards.ts';
import type { Counter } from '../../core/gateway/limits.ts';
import type { SpendRule } from '../spend/check-spend.ts';
import type { GuardRules } from '../guards.ts';

/** What a run may still use between the request to end and its end. Time alone would let it use twenty times its limit. */
export interface GraceBudget {
  /** The run was asked to end: what it uses from now on is grace. The first time counts. */
  begin(): void;
  /** Whether it has used as much as it may. Never before it was asked. */
  usedUp(): Promise<boolean>;
}

const GRACE_COUNTERS = ['tokens', 'nanoUsd', 'messages', 'bytes'] as const satisfies readonly Counter[];
type GraceCounter = (typeof GRACE_COUNTERS)[number];

export type GraceAmounts = Readonly<Record<GraceCounter, number>>;

export interface GraceOptions {
  /** Of each of the limits, the share that the grace may take. */
  readonly percent: number;
  readonly limits: GraceAmounts;
  /** All that the session has used by now. */
  readonly used: () => Promise<GraceAmounts>;
}

export function createGraceBudget({ percent, limits, used }: GraceOptions): GraceBudget {
  let before: Promise<GraceAmounts> | undefined;
  return {
    begin() {
      before ??= used();
      // It is said when it is asked for.
      before.catch(() => undefined);
    },
    async usedUp() {
      const start = await before;
      if (start === undefined) return false;
      const now = await used();
      return GRACE_COUNTERS.some((counter) => {
        const added = now[counter] - start[counter];
        return added > 0 && added >= (limits[counter] * percent) / 100;
      });
    },
  };
}

/** The smallest limit on each counter that stops a session; what has none is beyond every number. */
export function hardLimits({
  spend,
  guards,
}: {
  readonly spend: readonly SpendRule[];
  readonly guards: GuardRules;
}): GraceAmounts {
  const least = (counter: GraceCounter): number => {
    const hard = spend.filter((rule) => rule.counter === counter && rule.onBreach !== 'warn');
    const rates = RATE_NAMES.filter((name) => GUARDS[name].of === counter);
    return Math.min(...hard.map(({ limit }) => limit), ...rates.map((name) => guards[name].stop ?? Infinity));
  };
  return { tokens: least('tokens'), nanoUsd: least('nanoUsd'), messages: least('messages'), bytes: least('bytes') };
}
