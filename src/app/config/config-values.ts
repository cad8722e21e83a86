import { z } from 'zod';
import { closestWord } from './closest-word.ts';

// Every kind of value a key can have, with the sentence a person reads when it is wrong.
// No number may be so small that it means "everything" or "at once": the least is one unit, and 0 is never a limit.

interface Range {
  /** How the number is described to a person. */
  readonly noun: string;
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

const RANGES = {
  minutes: { noun: 'a number of minutes', min: 1, max: 52_560_000 },
  hours: { noun: 'a number of hours', min: 1, max: 876_000 },
  days: { noun: 'a number of days', min: 1, max: 36_500 },
  mb: { noun: 'a number of megabytes', min: 1, max: 1_000_000_000 },
  percent: { noun: 'a percentage', min: 1, max: 100 },
  usd: { noun: 'an amount in US dollars', min: 0.01, max: 1_000_000 },
  count: { noun: 'a whole number', min: 1, max: 1_000_000_000_000, whole: true },
  price: { noun: 'a price in US dollars', min: 0, max: 1_000_000 },
  hourOfDay: { noun: 'a whole hour of the day', min: 0, max: 23, whole: true },
} as const satisfies Record<string, Range>;

type RangeName = keyof typeof RANGES;

/** A number that must be given as one: `never` is not possible here. */
export function amount(name: RangeName) {
  return numberIn(RANGES[name], (input) => explainNumber(input, name, false));
}

/** A number, or the word `never` for no limit. */
export function amountOrNever(name: RangeName) {
  const explain = (input: unknown) => explainNumber(input, name, true);
  return z.union([numberIn(RANGES[name], explain), z.literal('never')], { error: (issue) => explain(issue.input) });
}

export function choice<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, {
    error: ({ input }) => `${quote(input)} is not possible here. Write ${orList(words)}.${didYouMean(input, words)}`,
  });
}

export function yesOrNo() {
  return z.boolean({ error: ({ input }) => `${quote(input)} is not possible here. Write true or false.` });
}

export function wordList() {
  return z.array(z.string({ error: notAWord }).min(1, { error: notAWord }), {
    error: ({ input }) => `${quote(input)} is not a list. Write one in brackets, such as [one, two].`,
  });
}

/** Numbers, in brackets. */
export function amountList(name: RangeName) {
  return z.array(amount(name), {
    error: ({ input }) => `${quote(input)} is not a list. Write one in brackets, such as [50, 80].`,
  });
}

export function timeZone() {
  return z.string({ error: notATimeZone }).refine(validTimeZone, { error: notATimeZone });
}

/** A value as it is named in a message: short, and never a dump of a whole map. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'A list';
  return value === null || value === undefined ? 'An empty value' : 'A group of keys';
}

function numberIn({ min, max, whole = false }: Range, explain: (input: unknown) => string) {
  const error = ({ input }: Wrong) => explain(input);
  const number = whole ? z.number({ error }).int({ error }) : z.number({ error });
  return number.min(min, { error }).max(max, { error });
}

const OFF_WORDS = new Set(['never', 'off', 'no', 'none', 'false', 'null', 'unlimited', 'infinity', 'forever']);

function explainNumber(input: unknown, name: RangeName, orNever: boolean): string {
  const { noun, min, max } = RANGES[name];
  const text = String(input).trim().toLowerCase();
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(text) ?? [];
  if (typeof input === 'string' && digits !== '' && Number(digits) >= min && Number(digits) <= max) {
    if (unit === '') return `${quote(input)} is text, not a number. Write ${digits} without quotes.`;
    // Only the unit of the key is understood: `12h` in a key of days is not 12.
    if (name.startsWith(unit)) return `${quote(input)} is not a number. Write ${digits}: the unit is in the key.`;
  }
  const wish = orNever && OFF_WORDS.has(text) ? ' Did you mean never?' : '';
  return `${quote(input)} is not possible here. Write ${noun} from ${min} to ${max.toLocaleString('en')}${orNever ? ', or never' : ''}.${wish}`;
}

interface Wrong {
  readonly input?: unknown;
}

function notAWord({ input }: Wrong): string {
  return `${quote(input)} is not a word. Put it in quotes, or remove it.`;
}

function notATimeZone({ input }: Wrong): string {
  const example = 'Write a name such as UTC or Europe/Berlin.';
  return `${quote(input)} is not a time zone. ${example}${didYouMean(input, Intl.supportedValuesOf('timeZone'))}`;
}

function validTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // The constructor throws a RangeError for a name it does not know.
    return false;
  }
}

function didYouMean(input: unknown, words: readonly string[]): string {
  const closest = typeof input === 'string' ? closestWord(input, words) : undefined;
  return closest === undefined ? '' : ` Did you mean ${closest}?`;
}

function orList(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
