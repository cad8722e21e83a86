import { formatCount } from '../format.ts';

/** `1 session`, `1,200 sessions`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
