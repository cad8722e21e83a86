import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { ConfigIssue } from './config-issue.ts';
import { type ConfigLayer, fileLayer, settingLayer } from './config-layer.ts';
import { type ConfigOrigin, valuePaths } from './config-origins.ts';
import { type Config, configSchema } from './config-schema.ts';
import type { ConfigSetting } from './config-settings.ts';

export interface ParseRequest {
  readonly file: string;
  /** The content of the file; undefined when there is none. */
  readonly bytes: Uint8Array | undefined;
  readonly settings: readonly ConfigSetting[];
}

export type ParsedConfig =
  | { readonly status: 'ok'; readonly config: Config; readonly origins: ReadonlyMap<string, ConfigOrigin> }
  | { readonly status: 'invalid'; readonly issues: readonly ConfigIssue[] };

/**
 * Checks every level by itself, then lays them over one another. A wrong value is an error even where a higher level
 * would hide it: the file must not become dangerous on the day a flag is left out.
 */
export function parseConfig({ file, bytes, settings }: ParseRequest): ParsedConfig {
  const layers = [...(bytes === undefined ? [] : [fileLayer(file, bytes)]), ...settings.map(settingLayer)];
  const issues = layers.flatMap((layer) => layer.issues);
  if (issues.length > 0) return { status: 'invalid', issues };
  const merged = layers.reduce<JsonObject>((below, { data }) => merge(below, data), {});
  const config: Config = configSchema.parse(merged);
  return { status: 'ok', config, origins: originsOf(config, layers) };
}

/** Lays one level over another, field by field. An empty section changes nothing; a list replaces the whole list. */
function merge(below: JsonObject, above: JsonObject): JsonObject {
  const fields = Object.entries(above)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const beneath = Object.hasOwn(below, name) ? below[name] : undefined;
      return [name, isJsonObject(value) ? merge(isJsonObject(beneath) ? beneath : {}, value) : value] as const;
    });
  return { ...below, ...Object.fromEntries(fields) };
}

function originsOf(config: Config, layers: readonly ConfigLayer[]): ReadonlyMap<string, ConfigOrigin> {
  const origins = new Map<string, ConfigOrigin>();
  for (const path of valuePaths(config)) origins.set(path.join('.'), { level: 'default' });
  for (const { level, data, origin } of layers) {
    for (const path of valuePaths(data)) {
      // An empty section is a path in the data, but not a value.
      if (origins.has(path.join('.'))) origins.set(path.join('.'), { level, where: origin(path) });
    }
  }
  return origins;
}
