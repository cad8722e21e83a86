import { isJsonObject, type JsonValue } from './json.ts';

/**
 * Secrets leave no trace in what Coppice shows or exports under redaction. Every pattern here takes time in proportion to the
 * text: what can repeat without limit is always one plain character class, and never sits inside another repetition.
 */
const REDACTED = '[redacted]';

/** Replaces what looks like a key, token, password or private key. Redacting twice gives the same as once. */
export function redactText(text: string): string {
  let result = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = result;
    for (const { pattern, replace } of RULES) result = result.replace(pattern, replace);
    if (result === before) break;
  }
  return result;
}

/** What one rule hides can bring out a match for another. Two passes settle real text; the limit is for hostile text. */
const MAX_PASSES = 8;

/** Header fields as HTTP libraries give them. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Hides the value of every header whose name suggests a secret, and secrets inside the others. */
export function redactHeaders(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const hide = SECRET_HEADER.test(name) ? () => REDACTED : redactText;
      if (value === undefined) return [name, value];
      return [name, typeof value === 'string' ? hide(value) : value.map(hide)];
    }),
  );
}

/** Hides the values of secret parameters, in the query and in the fragment, and a password before the host. */
export function redactUrl(url: string): string {
  const hidden = url.replace(/([?&#;])([^=&#;?]*)=([^&#;]*)/g, (pair, mark: string, name: string) =>
    SECRET_PARAMETER.test(name) ? `${mark}${name}=${REDACTED}` : pair,
  );
  return redactText(hidden);
}

/** Hides every value under a key that names a secret, and secrets inside all other texts. */
export function redactJson(value: JsonValue): JsonValue {
  return redactValue(value, { hide: false, depth: 0 });
}

const SECRET_HEADER = /token|secret|key|auth|cookie|password|session/i;
const SECRET_PARAMETER = /token|secret|key|auth|password|passwd|pwd|session|credential|signature|^sig$|^code$/i;

/** Names that announce a secret, as they end: `client_secret`, `OPENAI_API_KEY`, `accessToken`. Not `max_tokens`, not `author`. */
const NAME =
  '(?:password|passwd|passphrase|pwd|secret|token|credentials?|secret_key_base|(?:api|access|private|secret|auth|account|signing|encryption)[_-]?key)';
const SECRET_KEY = new RegExp(`(?:^|[^a-z])(?:${NAME}|authorization|cookie|auth)\\d{0,3}$`);

/** Deeper nesting than this is no honest data, so it is hidden whole and the stack stays small. */
const MAX_DEPTH = 200;

interface Place {
  /** Under a key that names a secret. */
  readonly hide: boolean;
  readonly depth: number;
}

function redactValue(value: JsonValue, { hide, depth }: Place): JsonValue {
  if (typeof value === 'string') return hide && value !== '' ? REDACTED : redactText(value);
  if (typeof value === 'number') return hide ? REDACTED : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (!isJsonObject(value)) return value.map((item) => redactValue(item, { hide, depth: depth + 1 }));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key),
      item === undefined ? item : redactValue(item, { hide: hide || isSecretKey(key), depth: depth + 1 }),
    ]),
  );
}

function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
}

interface Rule {
  readonly pattern: RegExp;
  /** Gets the match and its groups; by convention `before` is kept and `value` is what may be secret. */
  readonly replace: (match: string, before: string, value: string) => string;
}

/** Keeps `before` and hides `value` where it passes the test. */
function hiding(pattern: RegExp, secret: (value: string) => boolean): Rule {
  return {
    pattern,
    replace: (match, before, value) => {
      if (value === '' || value.startsWith(REDACTED) || PLACEHOLDER.test(value)) return match;
      return secret(value) ? before + REDACTED : match;
    },
  };
}

function whole(pattern: RegExp): Rule {
  return { pattern, replace: () => REDACTED };
}

/** A reference to a secret or the name of a type is not the secret itself. */
const PLACEHOLDER =
  /^(?:\$\{[^{}]*\}|\$[A-Z_][A-Z0-9_]*|<[^<>]*>|\{\{[^{}]*\}\}|(?:string|str|number|boolean|bool|null|none|nil|undefined|true|false|any|unknown|required|optional)[),;]*)$/i;

const always = () => true;
const hasDigit = (value: string) => /\d/.test(value);
/** Longer than a word of prose, or with a digit in it. */
const long = (value: string) => value.length >= 20 || hasDigit(value);
const noWord = (value: string) => value.length >= 20 || /[^a-z]/.test(value.replace(/[.,:;!?)]{1,3}$/, ''));

const SEPARATOR = '\\s{0,8}(?:=>|:=|[:=])\\s{0,8}';
/** A value without quotes; one that goes on with a bracket is a call. */
const CHARACTER = '[^\\s"\'`&,;<>|\\\\(]';
const UNQUOTED = `(?!=|[\\w.]{0,100}\\()${CHARACTER}${CHARACTER}*`;
/** At least six characters with letters and digits: after "token:" a plain word is prose and a plain number a count. */
const RANDOM = `(?=${CHARACTER}{0,200}\\d)(?=${CHARACTER}{0,200}[A-Za-z])(?=${CHARACTER}{6})${UNQUOTED}`;
const assigned = (rest: string) => new RegExp(`(${NAME}\\d{0,3}${rest}`, 'gi');

const RULES: readonly Rule[] = [
  // Private key blocks, also with escaped line ends, also cut short.
  whole(
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=(?:\s|\\{1,4}[nr]){0,8}(?:[A-Za-z-]{1,40}: |[A-Za-z0-9+/=]{16}))[^-]*(?:-(?!----)[^-]*){0,8}(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
  ),
  // "password": "…" and its like, with quotes of every kind, also inside a JSON text that was quoted itself.
  hiding(assigned(`["']?${SEPARATOR}")([^"\\\\\\n]*(?:\\\\.[^"\\\\\\n]*){0,64})`), always),
  hiding(assigned(`["']?${SEPARATOR}')([^'\\\\\\n]*(?:\\\\.[^'\\\\\\n]*){0,64})`), always),
  hiding(assigned(`["']?${SEPARATOR}\`)([^\`\\n]*)`), always),
  hiding(assigned(`\\\\{1,4}["']${SEPARATOR}\\\\{1,4}["'])([^"'\\\\\\n]*)`), always),
  hiding(/((?:authorization|cookie)\\{0,4}["']?\s{0,8}[:=]\s{0,8}\\{0,4}["'])([^"'\\\n]*)/gi, always),
  // NAME=value, then `name: value` where the value looks random or has the line to itself.
  hiding(assigned(`=)(${UNQUOTED})`), always),
  hiding(new RegExp(`([A-Z0-9]_KEY=)(${UNQUOTED})`, 'g'), always),
  hiding(assigned(`["']?[ \\t]{0,8}[:=][ \\t]{0,8})(${RANDOM})`), always),
  hiding(
    new RegExp(`(^[ \\t]{0,40}[\\w.-]{0,40}${NAME}\\d{0,3}[ \\t]{0,8}[:=][ \\t]{1,8})(${UNQUOTED})$`, 'gim'),
    always,
  ),
  // --token value. A word after the flag may be the sentence going on.
  hiding(
    new RegExp(`((?<![\\w-])--?[\\w-]{0,40}${NAME}[ \\t]{1,4}["']?)([^\\s"'\`<>|\\\\-][^\\s"'\`<>|\\\\]*)`, 'gi'),
    noWord,
  ),
  // HTTP credentials.
  hiding(/(authorization:[ \t]{0,8}(?:(?:bearer|basic|token|digest|negotiate)[ \t]{1,8})?)([^\s"'\\,;]*)/gi, long),
  hiding(/(\bcookie:[ \t]{0,8})([^"'\\\n]*)/gi, (value) => value.includes('=')),
  hiding(/(\bbearer[ \t]{1,8})([\w.~+/-]{8}[\w.~+/=-]*)/gi, long),
  hiding(/(\bbasic[ \t]{1,8})([A-Za-z0-9+/]{4}[A-Za-z0-9+/]*={0,2})/gi, holdsUserAndPassword),
  // scheme://user:password@host, the password up to the last @.
  { pattern: /(:\/\/[^\s/?#@:"'<>]{0,256}:)([^\s/?#"'<>]*)/g, replace: hideUserPassword },
  // Keys that their makers gave a shape of their own.
  whole(/(?<![A-Za-z0-9_])(?:sk-|hf_|npm_|pypi-|xai-|gsk_)(?=[A-Za-z_-]{0,80}\d|[A-Za-z0-9]{20})[\w-]{16}[\w-]*/g),
  whole(/(?<![A-Za-z0-9_])(?:gh[pousr]_|github_pat_|glpat-|[sr]k_(?:live|test)_|whsec_)[\w-]{16}[\w-]*/g),
  whole(/(?<![A-Za-z0-9_])(?:xox[a-z]-|xapp-)(?=[A-Za-z-]{0,20}\d)[\w-]{8}[\w-]*/g),
  whole(/(?<![A-Za-z0-9_])AIza[\w-]{30}[\w-]*/g),
  whole(/(?<![A-Za-z0-9_])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g),
  // Signed web tokens.
  whole(/(?<![\w-])eyJ[\w-]{5}[\w-]*\.[\w-]{4}[\w-]*(?:\.[\w-]*)?/g),
];

/** "Basic training" is no credential; what decodes to `user:password` is. */
function holdsUserAndPassword(value: string): boolean {
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return decoded.includes(':') && /^[\x20-\x7e]+$/.test(decoded);
}

function hideUserPassword(match: string, before: string, value: string): string {
  const at = value.lastIndexOf('@');
  return at > 0 ? before + REDACTED + value.slice(at) : match;
}
