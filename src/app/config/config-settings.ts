/** A single value from outside the file: an environment variable or a `--set` flag. */
export interface ConfigSetting {
  readonly level: 'environment' | 'flag';
  /** The variable or flag, as the user wrote it. */
  readonly name: string;
  readonly path: readonly string[];
  /** The value, still as text; it is read as YAML. */
  readonly text: string;
}

/** One `--set key=value` of the command line. */
export interface ConfigOverride {
  readonly key: string;
  readonly value: string;
}

const PREFIX = 'COPPICE_';

/**
 * The settings in `env`, then the overrides: later ones win. A variable without a double underscore, such as
 * COPPICE_HOME, is not a setting.
 */
export function configSettings(
  env: Readonly<Record<string, string | undefined>>,
  overrides: readonly ConfigOverride[],
): readonly ConfigSetting[] {
  const variables = Object.entries(env)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .filter(([name]) => name.startsWith(PREFIX) && name.slice(PREFIX.length).includes('__'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...variables.map(([name, text]) => ({ level: 'environment' as const, name, path: pathOfVariable(name), text })),
    ...overrides.map(({ key, value }) => {
      return { level: 'flag' as const, name: `--set ${key}`, path: key.split('.'), text: value };
    }),
  ];
}

/** How a key is written at the level of this setting, for a suggestion. */
export function spellPath(level: ConfigSetting['level'], path: readonly string[]): string {
  return level === 'flag' ? path.join('.') : PREFIX + path.map((part) => part.toUpperCase()).join('__');
}

function pathOfVariable(name: string): readonly string[] {
  return name.slice(PREFIX.length).toLowerCase().split('__');
}
