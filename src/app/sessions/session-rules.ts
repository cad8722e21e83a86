import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import type { SessionRules } from '../../policy/judge-session.ts';
import { sessionsConfigFor } from '../config/config-for-source.ts';
import type { Config } from '../config/config-schema.ts';

/** The configured rules for sessions of one source, as the policy takes them. */
export function sessionRulesFor(config: Config, source: string): SessionRules {
  const given = sessionsConfigFor(config, source);
  return {
    minAgeMs: given.min_age_hours * HOUR_MS,
    abandonAfterMs: given.abandon_after_hours * HOUR_MS,
    ...(given.retention_days !== 'never' && { retentionMs: given.retention_days * DAY_MS }),
    ...(given.empty_hours !== 'never' && { emptyMs: given.empty_hours * HOUR_MS }),
    ...(given.trivial_days !== 'never' && { trivialMs: given.trivial_days * DAY_MS }),
    trivialMaxMessages: given.trivial_max,
    keepTags: given.keep_tags,
  };
}
