import { describe, expect, it } from 'vitest';
import { closestWord } from '../../app/config/closest-word.ts';
import { type ConfigCheckOptions, checkHermesConfig } from './hermes-config-check.ts';

const check = (text: string, environment: ConfigCheckOptions['environment'] = {}) =>
  checkHermesConfig(text, { closest: closestWord, environment }).map(({ kind, subject, hint }) => ({
    kind: kind.replace('config-', ''),
    at: subject.replace('config.yaml ', ''),
    hint,
  }));

const found = (text: string) => check(text).map(({ kind, at }) => `${kind} ${at}`);

describe('looking through the settings of Hermes', () => {
  it('finds nothing to say about settings that do what they say', () => {
    const text = `
model: anthropic/claude
sessions: { auto_prune: true, retention_days: 30, auto_archive: true, auto_archive_days: 3 }
checkpoints: { enabled: true, max_snapshots: 20, retention_days: 7 }
session_reset: { mode: both, idle_minutes: 60, at_hour: 4, telegram: { mode: none } }
session: { anything: true }
cron: { output_retention: 50, something_newer: 1 }
fallback_providers: [{ provider: openrouter, model: a/b }]
`;
    expect(check(text)).toEqual([]);
    expect(check('')).toEqual([]);
    expect(check('sessions:\ncheckpoints:\n')).toEqual([]);
  });

  it('suggests the name that was meant', () => {
    expect(check('sessions: { retention_day: 30 }')).toEqual([
      { kind: 'unknown-key', at: 'sessions.retention_day', hint: 'Did you mean retention_days?' },
    ]);
    expect(check('checkpoint: { enabled: true }')).toEqual([
      { kind: 'unknown-key', at: 'checkpoint', hint: 'Did you mean checkpoints?' },
    ]);
    expect(found('sessions: { max_gigabytes: 1 }')).toEqual(['unknown-key sessions.max_gigabytes']);
    expect(found('sessions: { constructor: 1 }')).toEqual(['unknown-key sessions.constructor']);
  });

  it('finds values of the wrong kind, quoted ones above all', () => {
    expect(found('sessions: { auto_prune: "false", retention_days: "30" }')).toEqual([
      'wrong-type sessions.auto_prune',
      'wrong-type sessions.retention_days',
    ]);
    expect(found('sessions: [auto_prune]')).toEqual(['wrong-type sessions']);
    expect(found('session_reset: { mode: weekly }')).toEqual(['wrong-type session_reset.mode']);
    expect(found('- a list')).toEqual(['wrong-type config.yaml']);
    expect(found('sessions: { a: 1')).toEqual(['unreadable config.yaml']);
    expect(found('sessions: {}\nsessions: {}')).toEqual(['unreadable config.yaml']);
  });

  it('finds values that do nothing', () => {
    expect(found('sessions: { auto_prune: false, retention_days: 30 }')).toEqual(['no-effect sessions.retention_days']);
    expect(found('sessions: { auto_archive_days: 3 }')).toEqual(['no-effect sessions.auto_archive_days']);
    expect(found('checkpoints: { max_snapshots: 5 }')).toEqual(['no-effect checkpoints.max_snapshots']);
    expect(found('session_reset: { mode: daily, idle_minutes: 5 }')).toEqual(['no-effect session_reset.idle_minutes']);
    expect(found('session_token_hard_stop: 1000')).toEqual(['no-effect session_token_hard_stop']);
  });

  it('finds values that surprise', () => {
    expect(found('session_reset: { mode: idle, idle_minutes: 0 }')).toEqual(['surprise session_reset.idle_minutes']);
    expect(found('session_reset: { mode: daily, at_hour: 24 }')).toEqual(['surprise session_reset.at_hour']);
    expect(found('sessions: { auto_prune: true, retention_days: -1 }')).toEqual(['surprise sessions.retention_days']);
    expect(found('checkpoints: { enabled: true, max_total_size_mb: 0 }')).toEqual([
      'surprise checkpoints.max_total_size_mb',
    ]);
  });

  it('finds fallbacks that Hermes passes over', () => {
    expect(found('fallback_providers: { provider: a, model: b }')).toEqual(['wrong-type fallback_providers']);
    expect(found('fallback_providers: [{ provider: a }, { provider: a, model: b }, text]')).toEqual([
      'no-effect fallback_providers[0]',
      'no-effect fallback_providers[2]',
    ]);
  });

  it('finds an API server without a key, wherever it is switched on', () => {
    const open = ['surprise api_server'];
    expect(found('platforms: { api_server: { enabled: true, extra: { host: 0.0.0.0 } } }')).toEqual(open);
    expect(found('api_server: { enabled: true, key: secret }')).toEqual([]);
    expect(check('', { API_SERVER_ENABLED: 'true', API_SERVER_HOST: '0.0.0.0' })[0]?.hint).toContain('127.0.0.1');
    expect(check('', { API_SERVER_ENABLED: 'true', API_SERVER_KEY: 'secret' })).toEqual([]);
    expect(check('', { API_SERVER_HOST: '0.0.0.0' })).toEqual([]);
  });

  it('never shows a value of the environment', () => {
    const text = JSON.stringify(check('', { API_SERVER_ENABLED: 'true', API_SERVER_HOST: 'private.example' }));
    expect(text).not.toContain('private.example');
  });
});
