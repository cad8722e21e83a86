import { DAY_MS } from '../../core/time.ts';
import type { DumpRules } from '../../homes/native/request-dumps.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseForeign } from '../refuse-foreign.ts';
import { Session } from './session.ts';
import { sessionFiles } from './session-files.ts';

/** A handle on a session without a look whether it exists, for those who know. */
export function sessionHandle(parts: HomeParts, id: string): Session {
  const { store, layout, clock, config, foreign } = parts;
  return new Session(id, {
    store,
    files: (sessionId) => foreign?.files(sessionId) ?? sessionFiles(layout, sessionId),
    writeDump: async (sessionId, dump) => {
      refuseForeign(parts);
      const { writeDump } = await import('../../homes/native/request-dumps.ts');
      return writeDump(layout.dumps(sessionId), dump, { rules: dumpRules(config), now: clock.now() });
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
