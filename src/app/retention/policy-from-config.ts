import type { Policy, SessionRules } from '../../core/retention/policy.ts';
import { AMOUNT_RULES, type AmountRule, LIMIT_RULES, type LimitRule } from '../../core/retention/session-settings.ts';
import { DAY_MS } from '../../core/time.ts';
import {
  resetConfigFor,
  type SourceResetConfig,
  type SourceSessionsConfig,
  sessionsConfigFor,
} from '../config/config-for-source.ts';
import type { Config } from '../config/config-schema.ts';

const MB = 1024 * 1024;

/** The configured rules as the policy takes them. */
export function policyFromConfig(config: Config): Policy {
  const { dumps, archive, trash, checkpoints, disk, guard } = config;
  const sources = new Set([...Object.keys(config.sessions.by_source), ...Object.keys(config.session_reset.by_source)]);
  const rulesOf = (source: string) =>
    rulesFrom(sessionsConfigFor(config, source), resetConfigFor(config, source).after);
  return {
    sessions: rulesFrom(config.sessions, config.session_reset.after),
    bySource: Object.fromEntries([...sources].map((source) => [source, rulesOf(source)])),
    dumps: { maxAgeMs: limit(dumps.retention_days, DAY_MS) },
    archive: { retentionMs: limit(archive.retention_days, DAY_MS) },
    trash: { maxBytes: limit(trash.max_mb, MB) },
    checkpoints: {
      retentionMs: limit(checkpoints.retention_days, DAY_MS),
      maxSnapshots: checkpoints.max_snapshots,
      maxBytes: limit(checkpoints.max_total_size_mb, MB),
    },
    disk: {
      maxBytes: limit(disk.max_mb, MB),
      minFreeBytes: limit(disk.min_free_mb, MB),
      // Shown to a person, who is asked about it apart.
      forGood: true,
      lowWater: disk.low_water_percent / 100,
      bySource: sourceLimits(disk.by_source),
    },
    guard: { maxItems: guard.max_items, maxPart: guard.max_percent / 100, noticeMs: guard.notice_days * DAY_MS },
  };
}

/** The rules that unattended runs go by. Checkpoints have passes of their own. */
export function unattendedPolicy(config: Config): Policy {
  const policy = policyFromConfig(config);
  return { ...policy, disk: { ...policy.disk, forGood: config.disk.for_good }, checkpoints: {} };
}

/** Every rule is named, so that one that is off for a source does not fall back to the general one. */
function rulesFrom(given: SourceSessionsConfig, afterReset: SourceResetConfig['after']): SessionRules {
  const limits = LIMIT_RULES.map(({ rule, setting, unit }) => [rule, limit(given[setting], unit)]);
  const amounts = AMOUNT_RULES.map(({ rule, setting, unit }) => [rule, given[setting] * unit]);
  return {
    ...(Object.fromEntries(limits) as Record<LimitRule, number | undefined>),
    ...(Object.fromEntries(amounts) as Record<AmountRule, number>),
    keepLast: given.keep_last,
    keepTags: given.keep_tags,
    afterReset: afterReset === 'keep' ? undefined : afterReset,
  };
}

function sourceLimits(bySource: Config['disk']['by_source']): Policy['disk']['bySource'] {
  const limits = Object.entries(bySource).flatMap(([source, { max_mb: maxMb = 'never' }]) => {
    const maxBytes = limit(maxMb, MB);
    return maxBytes === undefined ? [] : [[source, { maxBytes }] as const];
  });
  return Object.fromEntries(limits);
}

function limit(amount: number | 'never', unit: number): number | undefined {
  return amount === 'never' ? undefined : amount * unit;
}
