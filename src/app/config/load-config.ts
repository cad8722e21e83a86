import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { type ConfigIssue, formatConfigIssue } from './config-issue.ts';
import { type ConfigOrigin, valuePaths } from './config-origins.ts';
import type { Config } from './config-schema.ts';
import { type ConfigOverride, configSettings } from './config-settings.ts';
import type { PassOver } from './parse-config.ts';

export interface ConfigRequest {
  /** The path of config.yaml. It need not exist. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly overrides?: readonly ConfigOverride[];
  /** For who only looks: what is wrong and no obstacle. Everything is one when absent. */
  readonly passOver?: PassOver | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly file: string;
  readonly fileExists: boolean;
  /** Which level set each value, by dotted key. */
  readonly origins: ReadonlyMap<string, ConfigOrigin>;
  /** What is wrong and was passed over. */
  readonly issues: readonly ConfigIssue[];
}

export type ConfigResult =
  | { readonly status: 'ok'; readonly loaded: LoadedConfig }
  | { readonly status: 'invalid'; readonly issues: readonly ConfigIssue[] };

/** The configuration in force. Anything wrong at any level is a `bad-config` failure: a bad value is never guessed at. */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const result = await readConfig(request);
  if (result.status === 'ok') return result.loaded;
  throw badConfig(result.issues);
}

export function badConfig(issues: readonly ConfigIssue[]): Failure {
  return new Failure('bad-config', issues.map(formatConfigIssue).join('\n'), {
    hint: 'Nothing was changed. Fix it and run: coppice config check',
  });
}

/**
 * The same, with everything that is wrong as data. Without a file and without settings it loads neither the schema
 * nor the YAML parser, which together would be most of the start-up time.
 */
export async function readConfig({ file, env, overrides = [], passOver }: ConfigRequest): Promise<ConfigResult> {
  const bytes = readIfThere(file);
  if (bytes instanceof Error) {
    const issues = [unreadable(file, bytes)];
    return passOver === 'mistakes' ? { status: 'ok', loaded: defaultsOf(file, issues) } : { status: 'invalid', issues };
  }
  const settings = configSettings(env, overrides);
  if (bytes === undefined && settings.length === 0) return { status: 'ok', loaded: defaultsOf(file, []) };
  const { parseConfig } = await import('./parse-config.ts');
  const parsed = parseConfig({ file, bytes, settings, passOver });
  if (parsed.status === 'invalid') return parsed;
  const { status, ...sound } = parsed;
  return { status, loaded: { ...sound, file, fileExists: bytes !== undefined } };
}

function defaultsOf(file: string, issues: readonly ConfigIssue[]): LoadedConfig {
  const origins = new Map(valuePaths(DEFAULT_CONFIG).map((path) => [path.join('.'), { level: 'default' as const }]));
  return { config: DEFAULT_CONFIG, file, fileExists: issues.length > 0, origins, issues };
}

/** The text of the file as it stands; undefined when there is none. */
export async function readConfigText(file: string): Promise<string | undefined> {
  const bytes = readIfThere(file);
  if (bytes instanceof Error) throw badConfig([unreadable(file, bytes)]);
  return bytes && new TextDecoder().decode(bytes);
}

/** The content of a file, undefined when there is none, or the error that kept it from being read. */
function readIfThere(file: string): Uint8Array | Error | undefined {
  try {
    return readRegular(file);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A home that is not a folder is refused as such by whoever opens it.
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '') ? undefined : error;
  }
}

function unreadable(file: string, error: Error): ConfigIssue {
  return {
    key: '',
    where: file,
    message:
      error instanceof Failure
        ? `${error.message} Move it out of the way.`
        : `The file cannot be read (${errorCode(error) ?? error.message}). Check that it is a file you may read.`,
  };
}
