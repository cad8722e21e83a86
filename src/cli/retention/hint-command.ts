import { shellWord } from '../../core/shell-word.ts';
import type { GlobalOptions } from '../command.ts';
import { safeText } from '../safe-text.ts';

/** A command to paste, for the same home as the one at hand. */
export function hintCommand({ home }: Pick<GlobalOptions, 'home'>, ...words: readonly string[]): string {
  const all = ['coppice', ...words, ...(home === undefined ? [] : ['--home', home])];
  return safeText(all.map(shellWord).join(' '));
}
