import { DAY_MS } from '../../core/time.ts';
import type { DumpRules } from '../../homes/native/request-dumps.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseBadConfig } from '../refusals/refuse-bad-config.ts';
import { refuseForeign } from '../refusals/refuse-foreign.ts';
import { Session } from './session.ts';
import { sessionFiles } from './session-files.ts';

/** A handle on a session without a look whether it exists, for those who know. */
export function sessionHandle(parts: HomeParts, id: string): Session {
  const { store, layout, clock, config, foreign } = parts;
  return new Session(id, {
    store,
    wrote: () => parts.upkeep?.wrote(),
    files: async (sessionId) => foreign?.files(sessionId) ?? sessionFiles(layout, sessionId),
    writeDump: async (sessionId, dump) => {
      refuseForeign(parts);
      refuseBadConfig(parts);
      const { writeDump } = await import('../../homes/native/request-dumps.ts');
      const { judgeClock } = await import('../../keeping/liveness/clock-watch.ts');
      const now = clock.now();
      const rules = dumpRules(config);
      // By a clock that may be wrong, any dump looks old.
      const trusted = (await judgeClock(store, clock)) === 'trusted';
      return writeDump(layout, sessionId, { dump, rules: trusted ? rules : { ...rules, maxAgeMs: Infinity }, now });
    },
  });
}

function dumpRules({ dumps }: Pick<HomeParts['config'], 'dumps'>): DumpRules {
  const { max_count: maxCount, retention_days: days, redact } = dumps;
  return {
    maxCount: maxCount === 'never' ? Number.POSITIVE_INFINITY : maxCount,
    maxAgeMs: days === 'never' ? Number.POSITIVE_INFINITY : days * DAY_MS,
    redactBodies: redact,
  };
}
