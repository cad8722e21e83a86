import { Failure } from '../core/failure.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { Setting } from './command.ts';

/** Each takes the option as the person typed it, for the message, and the text given for it. */
export function parseCount(name: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count > 0 && Number.isSafeInteger(count)) return count;
  throw usage(`${name} takes a whole number above zero, not '${text}'.`, `For example: ${name} 20`);
}

/** A port; 0 lets the system choose one. */
export function parsePort(name: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw usage(`${name} takes a number from 0 to 65535, not '${text}'.`, `For example: ${name} 7717`);
}

/** An amount that may have decimals, more than nothing. */
export function parseAmount(name: string, text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && amount > 0 && Number.isFinite(amount)) return amount;
  throw usage(`${name} takes a number above zero, not '${text}'.`, `For example: ${name} 2.5`);
}

export function parseText(name: string, text: string): string {
  if (text.trim() !== '') return text;
  throw usage(`${name} was given an empty value.`, `Write a value after ${name}, or leave ${name} out.`);
}

export function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  throw usage(`${name} cannot be '${text}'.`, `Choose one of: ${choices.join(', ')}.`);
}

/** `key=value`, as `--set` takes it. */
export function parseSetting(text: string): Setting {
  const at = text.indexOf('=');
  if (at > 0) return { key: text.slice(0, at), value: text.slice(at + 1) };
  throw usage(`--set takes key=value, not '${text}'.`, 'For example: --set sessions.retention_days=30');
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['min', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);

/** A date, a date with a time (where the person is unless it names a zone), or an age; a bare number is days. */
export function parseDate(name: string, text: string, now: EpochMs): EpochMs {
  const [, amount, unit] = /^(\d+) ?([a-z]*)$/i.exec(text) ?? [];
  const at = amount === undefined ? parseIso(text) : now - Number(amount) * unitMs(name, amount, unit || 'd');
  if (at === undefined)
    throw usage(`${name} takes a date or an age, not '${text}'.`, `For example: ${name} 2026-01-31 or ${name} 90d`);
  if (at < 0)
    throw usage(`${name} ${text} reaches back before 1970.`, `A date is written with dashes: ${name} 2026-01-31`);
  return at;
}

/** Like `parseDate`, for what must lie back: now and the future would mean everything. */
export function parsePast(name: string, text: string, now: EpochMs): EpochMs {
  const at = parseDate(name, text, now);
  if (at < now) return at;
  throw usage(`${name} ${text} would be everything, however new.`, `Give an age or a date that lies back: ${name} 90d`);
}

const LONGEST_MS = 366 * DAY_MS;

/** How long something is to be, up to a year; a bare number is days. */
export function parseDuration(name: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d+) ?([a-z]*)$/i.exec(text) ?? [];
  const ms = amount === '' ? 0 : Number(amount) * unitMs(name, amount, unit || 'd');
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw usage(`${name} takes a time of up to a year, not '${text}'.`, `For example: ${name} 14d`);
}

function unitMs(name: string, amount: string, unit: string): number {
  const known = UNITS_MS.get(unit.toLowerCase());
  if (known !== undefined) return known;
  if (unit.toLowerCase() === 'm')
    throw usage(`'${amount}${unit}' could mean minutes or months.`, `For minutes, write: ${name} ${amount}min`);
  throw usage(
    `'${unit}' is not a unit of time that ${name} knows.`,
    `The units are ${[...UNITS_MS.keys()].join(', ')}. For example: ${name} 90d`,
  );
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

function parseIso(text: string): EpochMs | undefined {
  const [, date, time = '00:00', zone = ''] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  // A day such as 30 February would otherwise slide into March.
  const day = new Date(`${date}T00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  const at = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(at) ? undefined : at;
}

function usage(message: string, hint: string): Failure {
  return new Failure('usage', message, { hint });
}
