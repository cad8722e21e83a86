import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from './time.ts';

/** `0 B`, `512 B`, `1.5 KB`, `12 MB`: steps of 1024. */
export function formatBytes(bytes: number): string {
  return scaled(bytes, 1024, [' B', ' KB', ' MB', ' GB', ' TB', ' PB']);
}

/** `950`, `1.2k`, `34M`: steps of 1000. */
export function formatTokens(tokens: number): string {
  return scaled(tokens, 1000, ['', 'k', 'M', 'B', 'T']);
}

/** `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 session`, `1,200 sessions`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `$1,234.50`; small amounts keep four decimals, so that a cheap call does not look free. */
export function formatUsd(usd: number): string {
  if (usd > 0 && usd < 0.000_05) return '<$0.0001';
  const digits = usd > 0 && usd < 0.01 ? 4 : 2;
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** How long ago, as a person would say it; the date once that is clearer. */
export function formatAge(at: EpochMs, now: EpochMs): string {
  const age = now - at;
  if (age <= -MINUTE_MS) return `in the future (${formatDate(at)})`;
  if (age < MINUTE_MS) return 'just now';
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  const days = Math.floor(age / DAY_MS);
  if (days > 30) return formatDate(at);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

/** `2026-01-31`, where the person is. */
export function formatDate(at: EpochMs): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-01-31 17:05:09`, where the person is. */
export function formatTime(at: EpochMs): string {
  const date = new Date(at);
  return `${formatDate(at)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** One decimal under 10, none above; what would round up to a full step is shown in the next unit. */
function scaled(value: number, base: number, units: readonly string[]): string {
  let rest = value;
  let step = 0;
  while (Math.round(rest) >= base && step < units.length - 1) {
    rest /= base;
    step += 1;
  }
  const digits = step > 0 && rest < 9.95 ? 1 : 0;
  return `${rest.toFixed(digits)}${units[step]}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
