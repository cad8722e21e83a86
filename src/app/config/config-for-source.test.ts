import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { sessionsConfigFor } from './config-for-source.ts';
import { configSchema } from './config-schema.ts';

describe('sessionsConfigFor', () => {
  it('gives a source without settings of its own the general ones', () => {
    const { by_source: _, ...general } = DEFAULT_CONFIG.sessions;
    expect(sessionsConfigFor(DEFAULT_CONFIG, 'telegram')).toStrictEqual(general);
    expect(sessionsConfigFor(DEFAULT_CONFIG, 'constructor')).toStrictEqual(general);
  });

  it('lays the settings of a source over the general ones, field by field', () => {
    const config = configSchema.parse({
      sessions: { retention_days: 60, keep_tags: ['a'], by_source: { telegram: { max_mb: 2, keep_tags: ['b'] } } },
    });
    const telegram = sessionsConfigFor(config, 'telegram');
    expect(telegram).toMatchObject({ retention_days: 60, max_mb: 2, keep_tags: ['b'], transcripts: 'on' });
    expect(sessionsConfigFor(config, 'cli')).toMatchObject({ retention_days: 60, max_mb: 10, keep_tags: ['a'] });
  });

  it('writes no transcripts for cron, even when they are switched on in general', () => {
    const config = configSchema.parse({ sessions: { transcripts: 'on', by_source: { cron: { retention_days: 3 } } } });
    expect(sessionsConfigFor(config, 'cron')).toMatchObject({ transcripts: 'off', retention_days: 3 });
  });

  it('writes transcripts for cron when they are switched on for cron', () => {
    const config = configSchema.parse({ sessions: { by_source: { cron: { transcripts: 'on' } } } });
    expect(sessionsConfigFor(config, 'cron').transcripts).toBe('on');
  });

  it('keeps the rule for cron when only another source has settings', () => {
    const config = configSchema.parse({ sessions: { by_source: { telegram: { transcripts: 'on' } } } });
    expect(sessionsConfigFor(config, 'cron').transcripts).toBe('off');
  });
});
