import type { JsonValue } from '../../core/json.ts';
import type { ConfigIssue } from './config-issue.ts';
import type { ConfigOrigin } from './config-origins.ts';
import { type ConfigRequest, type LoadedConfig, loadConfig, readConfig, readConfigText } from './load-config.ts';

/** The configuration of a home, wherever that is. */
export interface Configuration {
  /** The path of its config.yaml, which need not exist. */
  readonly file: string;
  /** What is in force. */
  show(): Promise<ShownConfig>;
  /** What is wrong with the file as it stands. */
  check(): Promise<CheckedConfig>;
}

export interface ShownConfig {
  /** The file as it stands; absent when there is none. */
  readonly text?: string;
  /** Every value in force and who set it. */
  readonly settings: readonly SettingInForce[];
  /** Unknown keys: nothing of them is in force, and nothing is changed until they are put right. */
  readonly issues: readonly ConfigIssue[];
}

export interface SettingInForce extends ConfigOrigin {
  readonly key: string;
  readonly value: JsonValue;
}

export interface CheckedConfig {
  readonly fileExists: boolean;
  readonly issues: readonly ConfigIssue[];
}

/** Reads the file whenever it is asked. What is `loaded` already stays in force, as it does for a program that runs on. */
export function configurationOf(request: ConfigRequest, loaded?: LoadedConfig): Configuration {
  const { file } = request;
  return {
    file,
    async show() {
      const { config, origins, issues } = loaded ?? (await loadConfig({ ...request, passOver: 'unknown-keys' }));
      const settings = [...origins].map(([key, origin]) => ({
        key,
        value: valueAt(config, key) as JsonValue,
        ...origin,
      }));
      const text = await readConfigText(file);
      return { settings, issues, ...(text !== undefined && { text }) };
    },
    async check() {
      const result = await readConfig(request);
      if (result.status === 'ok') return { fileExists: result.loaded.fileExists, issues: [] };
      return { fileExists: true, issues: result.issues };
    },
  };
}

/** Dotted keys name settings; a source may itself contain dots, so the longest matching names win. */
function valueAt(value: unknown, key: string): unknown {
  if (key === '' || typeof value !== 'object' || value === null) return value;
  for (const [name, inner] of Object.entries(value)) {
    if (key === name) return inner;
    if (key.startsWith(`${name}.`)) return valueAt(inner, key.slice(name.length + 1));
  }
  return undefined;
}
