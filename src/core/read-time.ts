import type { JsonValue } from './json.ts';
import type { EpochMs } from './time.ts';

/** The last instant that a JavaScript date can hold. */
const LATEST = 8.64e15;
/** As seconds this is the year 5138, as milliseconds 1973. */
const SECONDS_END = 1e11;

/** Reads an instant given as ISO-8601 text, seconds or milliseconds. A text without a zone is in the zone of this machine. */
export function readTime(value: JsonValue): EpochMs | undefined {
  const at = typeof value === 'string' ? readText(value) : readNumber(value);
  return at !== undefined && at >= 0 && at <= LATEST ? at : undefined;
}

function readText(text: string): EpochMs | undefined {
  if (/^[+-]?\d{4,6}-\d\d-\d\d/.test(text)) return Date.parse(text);
  return /^\d{9,16}(?:\.\d{1,9})?$/.test(text) ? readNumber(Number(text)) : undefined;
}

function readNumber(value: JsonValue): EpochMs | undefined {
  if (typeof value !== 'number') return undefined;
  return Math.round(value < SECONDS_END ? value * 1000 : value);
}
