import { Failure } from '../core/failure.ts';

/** Far beyond what anybody writes, and little enough for every program that reads it. */
const MAX_LEVELS = 100;
/** So many lists and objects are read in the wink of an eye; some millions of them would keep everybody else waiting for seconds. */
const MAX_NESTED = 100_000;
/** Every program that counts in doubles writes a fraction with this many digits at most. */
const MOST_DIGITS = 17;

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];

/**
 * Looks over the bytes of a body before it is parsed, and refuses what would take too long to read or would not be kept as it was
 * sent. It passes over what is no JSON at all: the parser says so.
 */
export function lookOverJson(bytes: Buffer): void {
  let level = 0;
  let nested = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === 0x5b || byte === 0x7b) {
      level += 1;
      nested += 1;
      if (level > MAX_LEVELS) throw tooDeep();
      if (nested > MAX_NESTED) throw tooMany();
    } else if (byte === 0x5d || byte === 0x7d) level -= 1;
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) at = endOfNumber(bytes, at);
  }
}

/** Where the text that begins here has its closing quote. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const end = bytes.indexOf(QUOTE, at);
    if (end === -1) return bytes.length;
    let before = end;
    while (bytes[before - 1] === BACKSLASH) before -= 1;
    // A quote after an even number of backslashes is no part of the text.
    if ((end - before) % 2 === 0) return end;
    at = end;
  }
}

/** Where the number that begins here has its last character. Refuses one that would become another. */
function endOfNumber(bytes: Buffer, start: number): number {
  let end = start + 1;
  while (end < bytes.length && isOfNumber(bytes[end] ?? 0)) end += 1;
  // Numbers this short are always kept.
  if (end - start < MOST_DIGITS - 1 && !hasExponent(bytes, start, end)) return end - 1;
  const text = bytes.toString('latin1', start, end);
  if (!isKept(text)) throw notKept(text, start);
  return end - 1;
}

function isOfNumber(byte: number): boolean {
  // Digits, the point, the signs and both letters of an exponent.
  return (byte >= ZERO && byte <= NINE) || byte === 0x2e || byte === 0x2b || byte === MINUS || (byte | 0x20) === 0x65;
}

function hasExponent(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (((bytes[at] ?? 0) | 0x20) === 0x65) return true;
  return false;
}

/** Whether a number is the same after it was read: a whole one to the last digit, a fraction as far as doubles go. */
function isKept(text: string): boolean {
  const value = Number(text);
  if (Number.isNaN(value)) return true;
  // Whoever reads it back gets the very same characters.
  if (String(value) === text) return true;
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(text)) return BigInt(text) === BigInt(value);
  const { digits, form } = decimalOf(text);
  if (digits === '') return true;
  // With as many digits as were sent, the double must say the very same.
  return digits.length <= MOST_DIGITS && value !== 0 && decimalOf(value.toPrecision(digits.length)).form === form;
}

/** A number by its digits, from the first to the last that is no zero, and by where its point is; the same for all ways to write it. */
function decimalOf(text: string): { readonly digits: string; readonly form: string } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - kept.length;
  return { digits: kept, form: `${sign}${kept}e${power}` };
}

function tooDeep(): Failure {
  return new Failure('usage', `The body is nested more than ${MAX_LEVELS} levels deep.`, {
    hint: 'Send what is nested so deeply as a text.',
  });
}

function tooMany(): Failure {
  return new Failure('usage', `The body holds more than ${MAX_NESTED} lists and objects.`, {
    hint: 'Send it in smaller batches, or as a text.',
  });
}

function notKept(text: string, at: number): Failure {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new Failure('usage', `The number ${shown} at byte ${at} of the body cannot be kept exactly.`, {
    hint: 'Send it as a text: "…".',
  });
}
