import { shellWord } from '../../core/shell-word.ts';
import type { GlobalOptions } from '../command.ts';
import { safeText } from '../safe-text.ts';

/** A command to paste, for the same home as the one at hand. */
export function hintCommand(
  { home, remote }: Pick<GlobalOptions, 'home' | 'remote'>,
  ...words: readonly string[]
): string {
  const where = [
    ...(remote === undefined ? [] : ['--remote', remote]),
    ...(home === undefined ? [] : ['--home', home]),
  ];
  const all = ['coppice', ...words, ...where];
  return safeText(all.map(shellWord).join(' '));
}
