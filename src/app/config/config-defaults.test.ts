import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { type Config, configSchema } from './config-schema.ts';

describe('DEFAULT_CONFIG', () => {
  it('is what the schema makes of an empty configuration', () => {
    expect(DEFAULT_CONFIG).toStrictEqual(configSchema.parse({}));
  });

  it('is spelled with the keys in the order of the schema', () => {
    expect(JSON.stringify(DEFAULT_CONFIG)).toBe(JSON.stringify(configSchema.parse({})));
  });
});

/** Checked by the compiler, never run: no field of a configuration can be assigned. */
export function assignNothing(config: Config): void {
  // @ts-expect-error sections are readonly
  config.sessions = DEFAULT_CONFIG.sessions;
  // @ts-expect-error values are readonly
  config.sessions.retention_days = 1;
  // @ts-expect-error lists are readonly
  config.sessions.keep_tags.push('x');
  // @ts-expect-error values of one source are readonly
  config.sessions.by_source.cron.transcripts = 'on';
  // @ts-expect-error nested sections are readonly
  config.budgets.session.usd = 1;
}
