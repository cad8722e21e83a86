/** What a setting of Hermes takes, and which values mean something other than they seem to. */
export interface ConfigKey {
  readonly takes: 'true or false' | 'a number' | 'text' | readonly string[];
  /** Words about a value that surprises; undefined for all others. */
  readonly surprise?: (value: number) => string | undefined;
  /** The setting counts only while this one has one of these values; `undefined` among them means that it may be absent. */
  readonly counts?: { readonly key: string; readonly values: readonly (boolean | string | undefined)[] };
}

export interface ConfigSection {
  readonly keys: Readonly<Record<string, ConfigKey>>;
  /** No other key is known in it. Elsewhere only a name that comes close to a known one is taken for a mistake. */
  readonly complete: boolean;
}

const flag: ConfigKey = { takes: 'true or false' };
const number: ConfigKey = { takes: 'a number' };

const tooFew = (what: string) => (value: number) => (value > 0 ? undefined : `is 0 or less, which ${what}`);
const age: ConfigKey = {
  takes: 'a number',
  surprise: tooFew('makes everything that has ended old enough to be deleted'),
};
const size: ConfigKey = { takes: 'a number', surprise: tooFew('switches the limit off') };
const hour = (value: number) =>
  Number.isInteger(value) && value >= 0 && value <= 23 ? undefined : 'is not an hour between 0 and 23';

const whileOn = (key: string, setting: ConfigKey): ConfigKey => ({ ...setting, counts: { key, values: [true] } });
const unlessOff = (key: string, setting: ConfigKey): ConfigKey => ({
  ...setting,
  counts: { key, values: [true, undefined] },
});

/** The sections that decide how long things stay, when conversations begin anew, and what that costs. */
export const CONFIG_SECTIONS: Readonly<Record<string, ConfigSection>> = {
  sessions: {
    complete: true,
    keys: {
      auto_prune: flag,
      // Whether pruning is on by itself depends on the version of Hermes, so only an explicit `false` makes it idle.
      retention_days: unlessOff('auto_prune', age),
      min_interval_hours: number,
      vacuum_after_prune: flag,
      min_vacuum_interval_days: unlessOff('vacuum_after_prune', number),
      auto_archive: flag,
      auto_archive_days: whileOn('auto_archive', {
        takes: 'a number',
        surprise: tooFew('archives every session at once'),
      }),
      write_json_snapshots: flag,
      fts_optimize_notice: { takes: 'text' },
      cjk_fts: flag,
      search_slow_ms: number,
      max_resume_messages: number,
      max_export_messages: number,
    },
  },
  checkpoints: {
    complete: true,
    keys: {
      enabled: flag,
      max_snapshots: whileOn('enabled', { takes: 'a number', surprise: tooFew('leaves no checkpoint to go back to') }),
      max_total_size_mb: whileOn('enabled', size),
      max_file_size_mb: whileOn('enabled', size),
      auto_prune: whileOn('enabled', flag),
      retention_days: unlessOff('auto_prune', age),
      min_interval_hours: unlessOff('auto_prune', number),
    },
  },
  session_reset: {
    complete: true,
    keys: {
      mode: { takes: ['none', 'idle', 'daily', 'both'] },
      idle_minutes: {
        takes: 'a number',
        surprise: tooFew('ends a conversation at every pause, however short'),
        counts: { key: 'mode', values: ['idle', 'both'] },
      },
      at_hour: { takes: 'a number', surprise: hour, counts: { key: 'mode', values: ['daily', 'both'] } },
      notify: flag,
      bg_process_max_age_hours: number,
    },
  },
  cron: {
    complete: false,
    keys: {
      output_retention: { takes: 'a number', surprise: tooFew('keeps no output of any run') },
      completed_retention_days: { takes: 'a number', surprise: tooFew('forgets jobs as soon as they have run') },
      session_db_timeout_seconds: number,
    },
  },
};

/** Settings that Hermes accepts and never looks at. */
export const IGNORED_KEYS: readonly string[] = ['session_token_hard_stop'];
