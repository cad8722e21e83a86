import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { DEFAULT_CONFIG } from '../config/config-defaults.ts';
import { policyFromConfig } from './policy-from-config.ts';

const MB = 1024 * 1024;

describe('policyFromConfig', () => {
  it('turns the configuration of someone who wrote none into milliseconds and bytes', () => {
    const policy = policyFromConfig(DEFAULT_CONFIG);
    expect(policy.sessions).toEqual({
      minAgeMs: DAY_MS,
      abandonAfterMs: DAY_MS,
      retentionMs: 90 * DAY_MS,
      emptyMs: 24 * HOUR_MS,
      trivialMs: 7 * DAY_MS,
      trivialMaxMessages: 5,
      keepLast: 1,
      keepTags: ['keep'],
      maxMessages: 1000,
      maxBytes: 10 * MB,
    });
    expect(policy.bySource['cron']).toEqual(policy.sessions);
    expect(policy).toMatchObject({
      dumps: { maxAgeMs: 14 * DAY_MS },
      archive: { retentionMs: undefined },
      disk: { maxBytes: undefined, minFreeBytes: undefined, lowWater: 0.85, bySource: {} },
      guard: { maxItems: 50, maxPart: 0.2 },
    });
  });

  it('switches a rule off for the one source that says never', () => {
    const sessions = {
      ...DEFAULT_CONFIG.sessions,
      by_source: { ...DEFAULT_CONFIG.sessions.by_source, api: { retention_days: 'never' as const } },
    };
    const { bySource } = policyFromConfig({ ...DEFAULT_CONFIG, sessions });
    expect(bySource['api']).toHaveProperty('retentionMs', undefined);
    expect(bySource['api']).toHaveProperty('emptyMs', 24 * HOUR_MS);
  });

  it('says what becomes of a conversation after a reset, for each source', () => {
    const by_source = { telegram: { after: 'remove' as const }, api: { after: 'keep' as const }, cli: {} };
    const session_reset = { ...DEFAULT_CONFIG.session_reset, after: 'drop-files' as const, by_source };
    const { sessions, bySource } = policyFromConfig({ ...DEFAULT_CONFIG, session_reset });
    expect(sessions).toMatchObject({ afterReset: 'drop-files' });
    expect(bySource['telegram']).toEqual({ ...sessions, afterReset: 'remove' });
    expect(bySource['api']).toEqual({ ...sessions, afterReset: undefined });
    expect([bySource['cli']?.afterReset, bySource['cron']?.afterReset]).toEqual(['drop-files', 'drop-files']);
  });

  it('limits a source only where a number is given', () => {
    const by_source = { api: { max_mb: 200 }, cli: { max_mb: 'never' as const }, cron: {} };
    const { disk } = policyFromConfig({ ...DEFAULT_CONFIG, disk: { ...DEFAULT_CONFIG.disk, max_mb: 500, by_source } });
    expect(disk).toMatchObject({ maxBytes: 500 * MB, bySource: { api: { maxBytes: 200 * MB } } });
    expect(Object.keys(disk.bySource)).toEqual(['api']);
  });
});
