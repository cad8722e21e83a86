import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
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
  readonly passOver?: PassOver | undefined;
}

/**
 * What is wrong and no obstacle to somebody who only looks. `unknown-keys`: what they were meant to say is not in force, the rest
 * is. `mistakes`: everything, for who shows nothing that depends on settings. What was typed with the command is never passed over.
 */
export type PassOver = 'unknown-keys' | 'mistakes';

export interface SoundConfig {
  readonly config: Config;
  readonly origins: ReadonlyMap<string, ConfigOrigin>;
  /** What was passed over. */
  readonly issues: readonly ConfigIssue[];
}

export type ParsedConfig =
  | ({ readonly status: 'ok' } & SoundConfig)
  | { readonly status: 'invalid'; readonly issues: readonly ConfigIssue[] };

/**
 * Checks every level by itself, then lays them over one another. A wrong value is an error even where a higher level
 * would hide it: the file must not become dangerous on the day a flag is left out.
 */
export function parseConfig({ file, bytes, settings, passOver }: ParseRequest): ParsedConfig {
  const layers = [...(bytes === undefined ? [] : [fileLayer(file, bytes)]), ...settings.map(settingLayer)];
  const issues = layers.flatMap((layer) => layer.issues);
  const stays = (layer: ConfigLayer) =>
    layer.issues.length > 0 &&
    (layer.level === 'flag' || !(passOver === 'mistakes' || (passOver === 'unknown-keys' && layer.onlyUnknownKeys)));
  if (layers.some(stays)) return { status: 'invalid', issues };
  const result = configSchema.safeParse(layers.reduce<JsonObject>((below, { sound }) => merge(below, sound), {}));
  if (result.success) return soundConfig(result.data, { layers, issues });
  // What is missing is not mended by leaving something out.
  return passOver === 'mistakes' ? soundConfig(DEFAULT_CONFIG, { layers: [], issues }) : { status: 'invalid', issues };
}

function soundConfig(
  config: Config,
  { layers, issues }: { readonly layers: readonly ConfigLayer[]; readonly issues: readonly ConfigIssue[] },
): ParsedConfig {
  return { status: 'ok', config, origins: originsOf(config, layers), issues };
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
  for (const { level, sound, origin } of layers) {
    for (const path of valuePaths(sound)) {
      // An empty section is a path in the data, but not a value.
      if (origins.has(path.join('.'))) origins.set(path.join('.'), { level, where: origin(path) });
    }
  }
  return origins;
}
