import { describe, expect, it } from 'vitest';
import { anArchive, aSession } from '../../../test/support/inventories.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import type { Config } from './config-schema.ts';
import { unmatchedNames } from './unmatched-names.ts';

const HOME = {
  sessions: [aSession('a', { tags: ['important', 'work'] }), aSession('b', { source: 'telegram' })],
  archives: [anArchive('c', { tags: ['old'], source: 'api' })],
};

function withSessions(sessions: Partial<Config['sessions']>, disk: Partial<Config['disk']> = {}): Config {
  return {
    ...DEFAULT_CONFIG,
    sessions: { ...DEFAULT_CONFIG.sessions, ...sessions },
    disk: { ...DEFAULT_CONFIG.disk, ...disk },
  };
}

describe('names in the configuration that nothing bears', () => {
  it('are said, with what was probably meant', () => {
    expect(unmatchedNames(withSessions({ keep_tags: ['imporant', 'work', 'old', 'xyz'] }), HOME)).toEqual([
      'sessions.keep_tags names "imporant", but no session bears that tag. Did you mean "important"?',
      'sessions.keep_tags names "xyz", but no session bears that tag.',
    ]);
  });

  it('are said of a source too, when they look like a slip', () => {
    const bySource = {
      cron: { transcripts: 'off' as const },
      telegran: { keep_tags: ['worc'] },
      telegram: {},
      api: {},
      'my bot': {},
    };
    expect(unmatchedNames(withSessions({ by_source: bySource }, { by_source: { cly: { max_mb: 1 } } }), HOME)).toEqual([
      'sessions.by_source.telegran.keep_tags names "worc", but no session bears that tag. Did you mean "work"?',
      'sessions.by_source names "telegran", but no session comes from there. Did you mean "telegram"?',
      'disk.by_source names "cly", but no session comes from there. Did you mean "cli"?',
    ]);
  });

  it('are no matter in a home without sessions, nor in what nobody wrote', () => {
    expect(unmatchedNames(DEFAULT_CONFIG, HOME)).toEqual([]);
    expect(unmatchedNames(withSessions({ keep_tags: ['hermes:archived'] }), HOME)).toEqual([]);
    const none = { sessions: [], archives: [] };
    expect(unmatchedNames(withSessions({ keep_tags: ['imporant'] }), none)).toEqual([]);
  });
});
