import type { App } from '../../app/app.ts';
import type { Client } from '../../client/client.ts';
import { isoTime } from '../../core/time.ts';

/** What the machine of a daemon has used. */
export function remoteUsage(client: Client): App['usage'] {
  return {
    async totals({ by, since, before, everywhere = false }) {
      return await client.usageTotals({
        by,
        since: since === undefined ? undefined : isoTime(since),
        before: before === undefined ? undefined : isoTime(before),
        homes: everywhere ? 'all' : 'this',
      });
    },
  };
}
