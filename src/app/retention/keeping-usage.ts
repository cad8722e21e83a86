import type { HomeDriver } from '../../core/retention/home-driver.ts';

/** A driver that notes for good what was used, before the first item of a run goes. */
export function keepingUsage(driver: HomeDriver, keep: (() => Promise<void>) | undefined): HomeDriver {
  let keptFor: string | undefined;
  return {
    scan: (options) => driver.scan(options),
    async discard(runId, items) {
      if (keptFor !== runId) await keep?.();
      keptFor = runId;
      return driver.discard(runId, items);
    },
    restore: (runId, items) => driver.restore(runId, items),
    purge: (runId, items) => driver.purge(runId, items),
    giveBack: (options) => driver.giveBack(options),
  };
}
