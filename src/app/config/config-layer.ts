import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type ConfigProblem, checkConfigData } from './check-config-data.ts';
import type { ConfigIssue } from './config-issue.ts';
import { type ConfigSetting, spellPath } from './config-settings.ts';
import { type Position, readYamlText, type YamlPath } from './yaml-text.ts';

/** One level of the configuration, checked. Its data counts only when there are no issues. */
export interface ConfigLayer {
  readonly level: 'file' | 'environment' | 'flag';
  readonly data: JsonObject;
  readonly issues: readonly ConfigIssue[];
  /** What is left without all that is wrong; nothing where the text itself cannot be read. */
  readonly sound: JsonObject;
  /** There is nothing wrong but keys that nobody knows. */
  readonly onlyUnknownKeys: boolean;
  /** Where a value of this level was set. */
  readonly origin: (path: YamlPath) => string;
}

/** The level of config.yaml. An empty file is an empty level. */
export function fileLayer(file: string, bytes: Uint8Array): ConfigLayer {
  const text = decode(bytes);
  if (text === undefined) {
    const issue = { key: '', where: file, message: 'The file is not text in UTF-8. Save it as UTF-8.' };
    return { level: 'file', data: {}, issues: [issue], sound: {}, onlyUnknownKeys: false, origin: () => file };
  }
  const yaml = readYamlText(text);
  const data = yaml.data ?? {};
  const problems = checkConfigData(data, dotted);
  const issues = [
    ...yaml.errors.map(({ position, message }) => ({ key: '', where: place(file, position), message })),
    ...problems.map(({ path, part, message }) => {
      return { key: dotted(path), where: place(file, yaml.positionOf(path, part)), message };
    }),
  ].toSorted((a, b) => a.where.localeCompare(b.where, 'en', { numeric: true }));
  const origin = (path: YamlPath) => `${file}:${yaml.positionOf(path, 'key').line}`;
  return {
    level: 'file',
    data: isJsonObject(data) ? data : {},
    issues,
    ...soundPart(data, yaml.errors.length === 0 ? problems : undefined),
    origin,
  };
}

/** The level of one environment variable or flag. */
export function settingLayer({ level, name, path, text }: ConfigSetting): ConfigLayer {
  const yaml = readYamlText(text);
  // Computed keys make own properties, so that a name such as __proto__ stays a name.
  const data = path.reduceRight<JsonValue>((value, key) => ({ [key]: value }), yaml.data ?? null);
  const spell = (meant: YamlPath, written: YamlPath) =>
    spellPath(level, [...meant.map(String), ...path.slice(written.length)]);
  const found = yaml.errors.length > 0 ? undefined : checkConfigData(data, spell);
  const problems: readonly Pick<ConfigProblem, 'path' | 'message'>[] =
    found ?? yaml.errors.map(({ message }) => ({ path, message: `The value cannot be read: ${message}` }));
  const issues = problems.map((problem) => ({ key: dotted(problem.path), where: name, message: problem.message }));
  return { level, data: isJsonObject(data) ? data : {}, issues, ...soundPart(data, found), origin: () => name };
}

/** `problems` is absent where the text could not be read. */
function soundPart(data: JsonValue, problems: readonly ConfigProblem[] | undefined) {
  const onlyUnknownKeys = problems?.every(({ part }) => part === 'key') ?? false;
  const whole = problems !== undefined && isJsonObject(data) ? data : {};
  const sound = (problems ?? []).reduce((rest, { path }) => without(rest, path.map(String)), whole);
  return { sound, onlyUnknownKeys };
}

/** The data without what is at a path. A list of which something is wrong goes as a whole. */
function without(data: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: inner, ...others } = data;
  if (rest.length === 0 || !isJsonObject(inner)) return others;
  return { ...data, [name]: without(inner, rest) };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    return undefined;
  }
}

function place(file: string, { line, col }: Position): string {
  return `${file}:${line}:${col}`;
}

function dotted(path: YamlPath): string {
  return path.map(String).join('.');
}
