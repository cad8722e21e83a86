import { parseDocument } from 'yaml';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import { CONFIG_SECTIONS, type ConfigKey, type ConfigSection, IGNORED_KEYS } from './hermes-config-keys.ts';

export interface ConfigCheckOptions {
  /** The known word that a person most likely meant, if one comes close. */
  readonly closest: (word: string, known: readonly string[]) => string | undefined;
  /** What the environment of Hermes sets, as far as it is known. Values are looked at and never shown. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Looks through Hermes' `config.yaml` for what a person should know: names it does not read, values of the wrong kind, values
 * that do nothing, and values that mean something other than they seem to. Sections that do not decide about retention, resets
 * or cost are left alone.
 */
export function checkHermesConfig(text: string, options: ConfigCheckOptions): Problem[] {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return [problem('', 'unreadable', [`cannot be read: ${firstLine(error.message)}`, EDIT])];
  const config: unknown = document.toJS();
  if (config === null) return checkApiServer({}, options);
  if (!isJsonObject(config)) return [problem('', 'wrong-type', ['is not a map of settings', EDIT])];
  return [
    ...Object.keys(config).flatMap((name) => checkName(name, options)),
    ...Object.entries(CONFIG_SECTIONS).flatMap(([name, section]) =>
      checkSection(name, config[name], { section, ...options }),
    ),
    ...checkFallbacks(config['fallback_providers']),
    ...checkApiServer(config, options),
  ];
}

const EDIT = 'Correct it with: hermes config edit';

function firstLine(text: string): string {
  return text.split('\n', 1).join().replace(/:$/, '');
}

function checkName(name: string, { closest }: ConfigCheckOptions): Problem[] {
  if (IGNORED_KEYS.includes(name)) {
    return [problem(name, 'no-effect', ['is accepted by Hermes and has no effect', `Take it out: ${unset(name)}`])];
  }
  const known = [...Object.keys(CONFIG_SECTIONS), 'fallback_providers'];
  // Hermes has a section `session` beside `sessions`.
  if (known.includes(name) || name === 'session') return [];
  const meant = closest(name, known);
  return meant === undefined ? [] : [unknownKey(name, meant)];
}

type SectionOptions = ConfigCheckOptions & { readonly section: ConfigSection };

function checkSection(name: string, value: unknown, { section, closest }: SectionOptions): Problem[] {
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) return [problem(name, 'wrong-type', ['has to be a map of settings', EDIT])];
  return Object.entries(value).flatMap(([key, setting]) => {
    const known = Object.hasOwn(section.keys, key) ? section.keys[key] : undefined;
    if (known !== undefined) return checkValue(`${name}.${key}`, setting, { known, section: value });
    // A map may hold what counts for one platform or one kind of chat.
    const meant = closest(key, Object.keys(section.keys));
    if (meant === undefined && (!section.complete || isJsonObject(setting))) return [];
    return [unknownKey(`${name}.${key}`, meant)];
  });
}

interface KnownKey {
  readonly known: ConfigKey;
  /** The settings beside it. */
  readonly section: JsonObject;
}

function checkValue(path: string, value: unknown, { known, section }: KnownKey): Problem[] {
  if (value === null) return [];
  const change = `Set it with: hermes config set ${path} <value>`;
  if (!fits(value, known.takes)) {
    const wanted = typeof known.takes === 'string' ? known.takes : `one of ${known.takes.join(', ')}`;
    const quoted = typeof value === 'string' && typeof known.takes === 'string' ? ' without quotes' : '';
    return [problem(path, 'wrong-type', [`has to be ${wanted}${quoted}`, change])];
  }
  const surprise = typeof value === 'number' ? known.surprise?.(value) : undefined;
  if (surprise !== undefined) return [problem(path, 'surprise', [surprise, change])];
  const { counts } = known;
  if (counts === undefined || counts.values.some((each) => each === (section[counts.key] ?? undefined))) return [];
  const wanted = counts.values.flatMap((each) => (each === undefined ? [] : [String(each)])).join(' or ');
  return [
    problem(path, 'no-effect', [`has no effect unless ${counts.key} is ${wanted}`, `Take it out: ${unset(path)}`]),
  ];
}

function unset(path: string): string {
  return `hermes config unset ${path}`;
}

function fits(value: unknown, takes: ConfigKey['takes']): boolean {
  if (takes === 'true or false') return typeof value === 'boolean';
  if (takes === 'a number') return typeof value === 'number' && Number.isFinite(value);
  if (takes === 'text') return typeof value === 'string';
  return takes.some((word) => word === value);
}

function checkFallbacks(chain: unknown): Problem[] {
  if (chain === undefined || chain === null) return [];
  const hint = 'Write the list with: hermes fallback';
  if (!Array.isArray(chain)) return [problem('fallback_providers', 'wrong-type', ['has to be a list', hint])];
  return chain.flatMap((entry: unknown, index) => {
    const has = (key: string) => isJsonObject(entry) && typeof entry[key] === 'string' && entry[key] !== '';
    if (has('provider') && has('model')) return [];
    const why = 'lacks its provider or its model, so Hermes passes over it';
    return [problem(`fallback_providers[${index}]`, 'no-effect', [why, hint])];
  });
}

/** The API server runs tools for whoever reaches it, so it needs a key, and more so beyond this machine. */
function checkApiServer(config: JsonObject, { environment = {} }: ConfigCheckOptions): Problem[] {
  const platforms = isJsonObject(config['platforms']) ? config['platforms'] : {};
  const places = [config['api_server'], platforms['api_server']].filter(isJsonObject);
  const settings = [...places, ...places.map((place) => place['extra']).filter(isJsonObject)];
  const setting = (name: string): string => {
    const value = settings.map((place) => place[name]).find((each) => each !== undefined);
    const text = typeof value === 'boolean' || typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' ? text : (environment[`API_SERVER_${name.toUpperCase()}`] ?? '');
  };
  const on = /^(true|1|yes)$/i.test(setting('enabled'));
  if (!on || setting('key') !== '') return [];
  const far = !/^(127\.\d+\.\d+\.\d+|localhost|::1|)$/.test(setting('host'));
  const who = far ? 'anyone who can reach this machine' : 'any program on this machine';
  const hint = `Set API_SERVER_KEY in the .env of the home${far ? ', or bind it to 127.0.0.1' : ''}.`;
  return [problem('api_server', 'surprise', [`is on without a key, so ${who} can give Hermes orders`, hint])];
}

function unknownKey(path: string, meant: string | undefined): Problem {
  const hint =
    meant === undefined ? 'Take it out, or look its name up in the manual of Hermes.' : `Did you mean ${meant}?`;
  return problem(path, 'unknown-key', ['is not a setting that Hermes is known to read', hint]);
}

function problem(path: string, kind: FindingKind, [what, hint]: readonly [what: string, hint: string]): Problem {
  const subject = path === '' ? 'config.yaml' : `config.yaml ${path}`;
  return { kind: `config-${kind}`, subject, message: `${subject} ${what}.`, hint };
}

type FindingKind = 'unreadable' | 'unknown-key' | 'wrong-type' | 'no-effect' | 'surprise';
