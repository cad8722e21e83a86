import { readFile } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { type ConfigIssue, formatConfigIssue } from './config-issue.ts';
import { type ConfigOrigin, valuePaths } from './config-origins.ts';
import type { Config } from './config-schema.ts';
import { type ConfigOverride, configSettings } from './config-settings.ts';

export interface ConfigRequest {
  /** The path of config.yaml. It need not exist. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly overrides?: readonly ConfigOverride[];
}

export interface LoadedConfig {
  readonly config: Config;
  readonly file: string;
  readonly fileExists: boolean;
  /** Which level set each value, by dotted key. */
  readonly origins: ReadonlyMap<string, ConfigOrigin>;
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

function badConfig(issues: readonly ConfigIssue[]): Failure {
  return new Failure('bad-config', issues.map(formatConfigIssue).join('\n'), {
    hint: 'Nothing was changed. Fix it and run: coppice config check',
  });
}

/**
 * The same, with everything that is wrong as data. Without a file and without settings it loads neither the schema
 * nor the YAML parser, which together would be most of the start-up time.
 */
export async function readConfig({ file, env, overrides = [] }: ConfigRequest): Promise<ConfigResult> {
  const bytes = await readIfThere(file);
  if (bytes instanceof Error) return { status: 'invalid', issues: [unreadable(file, bytes)] };
  const settings = configSettings(env, overrides);
  if (bytes === undefined && settings.length === 0) {
    const origins = new Map(valuePaths(DEFAULT_CONFIG).map((path) => [path.join('.'), { level: 'default' as const }]));
    return { status: 'ok', loaded: { config: DEFAULT_CONFIG, file, fileExists: false, origins } };
  }
  const { parseConfig } = await import('./parse-config.ts');
  const parsed = parseConfig({ file, bytes, settings });
  if (parsed.status === 'invalid') return parsed;
  const { config, origins } = parsed;
  return { status: 'ok', loaded: { config, file, fileExists: bytes !== undefined, origins } };
}

/** The text of the file as it stands; undefined when there is none. */
export async function readConfigText(file: string): Promise<string | undefined> {
  const bytes = await readIfThere(file);
  if (bytes instanceof Error) throw badConfig([unreadable(file, bytes)]);
  return bytes && new TextDecoder().decode(bytes);
}

/** The content of a file, undefined when there is none, or the error that kept it from being read. */
async function readIfThere(file: string): Promise<Uint8Array | Error | undefined> {
  try {
    return await readFile(file);
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
    message: `The file cannot be read (${errorCode(error) ?? error.message}). Check that it is a file you may read.`,
  };
}
