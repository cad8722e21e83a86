import { hash } from 'node:crypto';

/** Stands before whatever text of a server cannot hold. It is no character of any script, and stands twice for itself. */
const MARK = '\ufffe';

/** Half of a pair, NUL, and the mark itself. */
const UNHELD = /[\0\ufffe]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Any string as text that a server holds exactly. Nearly every string is that already. */
export function boundText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(MARK)) return text;
  return text.replace(UNHELD, (unit) => MARK + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** The string that `boundText` was given. */
export function readText(bound: string): string {
  if (!bound.includes(MARK)) return bound;
  return bound.replace(/\ufffe([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** By what a text is found that may be longer than an index takes. */
export function digestOf(...texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url');
}
