import type { EpochMs } from '../../../core/time.ts';

// What a cell of Hermes' tables means. Whole numbers come as bigint where they are read exactly.

/** Hermes counts seconds. */
export function instant(seconds: unknown): EpochMs | undefined {
  if (typeof seconds === 'bigint') return Number(seconds) * 1000;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.floor(seconds * 1000) : undefined;
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number that measures something; nothing when it is none. */
export function amount(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : 0;
}

/** A whole number that counts something; nothing when it is none. */
export function count(value: unknown): number {
  return Math.floor(amount(value));
}

/** A field that is there only with a value. */
export function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]: V });
}
