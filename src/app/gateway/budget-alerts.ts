import { errorText } from '../../core/error-text.ts';
import { LIMITS, unitSize } from '../../core/gateway/limits.ts';
import type { JsonValue } from '../../core/json.ts';
import { SECOND_MS } from '../../core/time.ts';
import { deliverDue, type PromisedTarget } from '../../gateway/cron/deliver.ts';
import type { EventFeed } from '../../gateway/event-feed.ts';
import type { UsedShare } from '../../gateway/spend/share-teller.ts';
import type { HomeParts } from '../home-parts.ts';
import { targetsOf } from './cron-jobs.ts';
import { secretly } from './webhook-signer.ts';

/** In whose name alerts are delivered: no job can be called so. */
export const ALERT_JOB = 'budget alert';
/** How long the end of a run waits for an alert to arrive. What has not is tried again by the daemon, or by the next run. */
const LAST_WAIT_MS = 5 * SECOND_MS;

export interface BudgetAlertsParts extends Pick<HomeParts, 'config' | 'store' | 'clock'> {
  readonly events: EventFeed;
}

/** Tells that a share of a budget is used: as an event, and wherever the configuration says. The book sees to it that it is told once. */
export class BudgetAlerts {
  readonly #parts: BudgetAlertsParts;
  readonly #heard = new Map<string, UsedShare[]>();
  readonly #trying = new Set<Promise<void>>();

  constructor(parts: BudgetAlertsParts) {
    this.#parts = parts;
  }

  tell(sessionId: string, share: UsedShare): void {
    const { message } = share;
    const figures = figuresOf(share);
    this.#parts.events.publish({ kind: 'budget-alert', sessionId, message, figures });
    this.#heard.get(sessionId)?.push(share);
    if (this.#parts.config.budgets.alert_deliver.length === 0) return;
    const trying = this.#deliver(sessionId, share)
      .catch((error: unknown) => this.#warn(`An alert on a budget could not be sent: ${errorText(error)}`))
      .finally(() => this.#trying.delete(trying));
    this.#trying.add(trying);
  }

  /** What is told of a session in this process from now on, until it is disposed of. */
  hear(sessionId: string): Disposable & { readonly told: readonly UsedShare[] } {
    const told: UsedShare[] = [];
    this.#heard.set(sessionId, told);
    return { told, [Symbol.dispose]: () => void this.#heard.delete(sessionId) };
  }

  /** Tries once more what has not arrived, and waits a moment for what is under way. */
  async settled(): Promise<void> {
    if (this.#parts.config.budgets.alert_deliver.length === 0) return;
    await Promise.all(this.#trying);
    await this.#tryDue(AbortSignal.timeout(LAST_WAIT_MS));
  }

  /** Put on record before it is sent: whoever dies meanwhile leaves it to others. */
  async #deliver(sessionId: string, share: UsedShare): Promise<void> {
    const { config, store, clock } = this.#parts;
    const { scope, key, period, counter, limit, percent, message } = share;
    const news = { output: `${message}\n`, event: figuresOf(share) };
    const id = ['budget', scope, key, period, counter, limit, percent, clock.now()].join(':');
    const targets = config.budgets.alert_deliver.flatMap((target) => targetsOf(target));
    for (const [index, target] of targets.entries()) {
      const promised: PromisedTarget = { ...target, news };
      await store.deliveries.promise({
        id: `${id}:${index}`,
        sessionId,
        job: ALERT_JOB,
        target: JSON.stringify(promised),
      });
    }
    await this.#tryDue(AbortSignal.timeout(LAST_WAIT_MS));
  }

  async #tryDue(signal: AbortSignal): Promise<void> {
    const { store, clock, config } = this.#parts;
    const { deliveries } = store;
    const { failures } = await deliverDue({
      deliveries,
      clock,
      outputOf: async () => undefined,
      only: ALERT_JOB,
      signal,
      ...secretly(config.webhooks),
    });
    for (const failure of failures) this.#warn(failure);
  }

  #warn(message: string): void {
    this.#parts.events.publish({ kind: 'warning', message });
  }
}

/** In the units in which limits are set. */
function figuresOf({
  scope,
  key,
  period,
  counter,
  limit,
  percent,
  used,
}: UsedShare): Readonly<Record<string, JsonValue>> {
  const size = unitSize(counter);
  return {
    scope,
    ...(key !== '' && { key }),
    ...(period !== '' && { day: period }),
    of: LIMITS[counter].unit,
    percent,
    used: used / size,
    limit: limit / size,
  };
}
