import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';

/** How many of what rules count in one of a unit is. */
export const SETTING_UNITS = {
  count: 1,
  mb: 1024 * 1024,
  minutes: MINUTE_MS,
  hours: HOUR_MS,
  days: DAY_MS,
} as const;

interface SettingFacts {
  /** The field of `SessionRules` that it becomes; absent for what is no rule about which sessions stay. */
  readonly rule?: string;
  readonly about: string;
}

/** A number from which on something goes; `never` switches it off. */
interface LimitSetting extends SettingFacts {
  readonly kind: 'limit';
  readonly rule: string;
  readonly unit: keyof typeof SETTING_UNITS;
  readonly default: number | 'never';
  /**
   * Whether it speaks about a whole conversation: then the larger one holds where its sessions come from several sources. The others
   * speak about one session, or about all of a source.
   */
  readonly ofConversations: boolean;
}

/** A number that there always is. */
interface AmountSetting extends SettingFacts {
  readonly kind: 'amount';
  readonly unit: keyof typeof SETTING_UNITS;
  readonly default: number;
}

type OtherSetting =
  | (SettingFacts & { readonly kind: 'floor'; readonly default: number })
  | (SettingFacts & { readonly kind: 'words'; readonly default: readonly string[] })
  | (SettingFacts & { readonly kind: 'on-off'; readonly default: 'on' | 'off' });

/**
 * Everything below `sessions` in the configuration that may differ from source to source, each said once and in the order of the file. Its
 * schema, defaults and template are made of this, and so are the rules: a limit that stands here is read, made safe and joined.
 */
export const SESSION_SETTINGS = {
  retention_days: {
    kind: 'limit',
    rule: 'retentionMs',
    unit: 'days',
    default: 90,
    ofConversations: true,
    about: 'Remove ended sessions not used for this many days.',
  },
  transcript_retention_days: {
    kind: 'limit',
    rule: 'transcriptRetentionMs',
    unit: 'days',
    default: 'never',
    ofConversations: true,
    about: 'Remove only the files of ended sessions not used for this many days; the database keeps the messages.',
  },
  empty_hours: {
    kind: 'limit',
    rule: 'emptyMs',
    unit: 'hours',
    default: 24,
    ofConversations: true,
    about: 'Remove sessions in which nothing was said or printed after this many hours.',
  },
  trivial_max: {
    kind: 'amount',
    rule: 'trivialMaxMessages',
    unit: 'count',
    default: 5,
    about: 'A session with at most this many messages and pieces of output counts as trivial.',
  },
  trivial_days: {
    kind: 'limit',
    rule: 'trivialMs',
    unit: 'days',
    default: 7,
    ofConversations: true,
    about: 'Remove trivial sessions not used for this many days.',
  },
  archive_after_days: {
    kind: 'limit',
    rule: 'archiveAfterMs',
    unit: 'days',
    default: 'never',
    ofConversations: true,
    about: 'Move ended sessions not used for this many days into the archive, compressed and restorable.',
  },
  max_sessions: {
    kind: 'limit',
    rule: 'maxSessions',
    unit: 'count',
    default: 'never',
    ofConversations: false,
    about: 'Keep at most this many sessions, the most recently used first.',
  },
  min_age_hours: {
    kind: 'amount',
    rule: 'minAgeMs',
    unit: 'hours',
    default: 24,
    about: 'Never remove a session younger than this many hours, unless a person names it.',
  },
  keep_last: {
    kind: 'floor',
    rule: 'keepLast',
    default: 1,
    about: 'Always keep this many of the newest sessions of each source and project; never for none of them.',
  },
  keep_tags: {
    kind: 'words',
    rule: 'keepTags',
    default: ['keep'],
    about: 'Always keep sessions that carry one of these tags.',
  },
  abandon_after_hours: {
    kind: 'amount',
    rule: 'abandonAfterMs',
    unit: 'hours',
    default: 24,
    about:
      'Close a session that was left open, and that no process holds and no route leads to, after this many hours without activity.',
  },
  active_grace_minutes: {
    kind: 'amount',
    unit: 'minutes',
    default: 30,
    about: 'An open session used within this many minutes counts as active.',
  },
  max_messages: {
    kind: 'limit',
    rule: 'maxMessages',
    unit: 'count',
    default: 1000,
    ofConversations: false,
    about: 'The most messages one session may hold.',
  },
  max_mb: {
    kind: 'limit',
    rule: 'maxBytes',
    unit: 'mb',
    default: 10,
    ofConversations: false,
    about: 'The most megabytes one session may take on disk.',
  },
  transcripts: {
    kind: 'on-off',
    default: 'on',
    about: 'Write a readable transcript file beside the database: on or off.',
  },
} as const satisfies Readonly<Record<string, LimitSetting | AmountSetting | OtherSetting>>;

export type SessionSetting = keyof typeof SESSION_SETTINGS;

/** The fields of the rules that settings of a kind become. */
type RuleOf<Facts> = {
  [S in SessionSetting]: (typeof SESSION_SETTINGS)[S] extends Facts & { readonly rule: infer Rule extends string }
    ? Rule
    : never;
}[SessionSetting];

/** The settings of a kind that become rules. */
type SettingOf<Facts> = {
  [S in SessionSetting]: (typeof SESSION_SETTINGS)[S] extends Facts & { readonly rule: string } ? S : never;
}[SessionSetting];
type LimitSettingName = SettingOf<{ readonly kind: 'limit' }>;
type AmountSettingName = SettingOf<{ readonly kind: 'amount' }>;

export type LimitRule = RuleOf<{ readonly kind: 'limit' }>;
export type AmountRule = RuleOf<{ readonly kind: 'amount' }>;

/** A rule with the setting that it is made of. */
interface RuleFrom<Rule, Setting> {
  readonly rule: Rule;
  readonly setting: Setting;
  /** How many of what the rule counts in one of its setting is. */
  readonly unit: number;
}

export const SESSION_SETTING_NAMES = Object.keys(SESSION_SETTINGS) as readonly SessionSetting[];

export const LIMIT_RULES = SESSION_SETTING_NAMES.filter(isLimit).map(
  (setting): RuleFrom<LimitRule, LimitSettingName> & { readonly ofConversations: boolean } => {
    const { rule, unit, ofConversations } = SESSION_SETTINGS[setting];
    return { rule, setting, unit: SETTING_UNITS[unit], ofConversations };
  },
);

export const AMOUNT_RULES = SESSION_SETTING_NAMES.filter(isAmount).map(
  (setting): RuleFrom<AmountRule, AmountSettingName> => {
    const { rule, unit } = SESSION_SETTINGS[setting];
    return { rule, setting, unit: SETTING_UNITS[unit] };
  },
);

function isLimit(setting: SessionSetting): setting is LimitSettingName {
  return SESSION_SETTINGS[setting].kind === 'limit';
}

function isAmount(setting: SessionSetting): setting is AmountSettingName {
  return SESSION_SETTINGS[setting].kind === 'amount' && 'rule' in SESSION_SETTINGS[setting];
}
