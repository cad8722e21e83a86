import { shellWord } from '../core/shell-word.ts';
import type { GlobalOptions } from './command.ts';
import { safeText } from './print/safe-text.ts';

/** Where a command works, as it was typed. */
export type Place = Pick<GlobalOptions, 'home' | 'remote'>;

/** A command to paste, for the same home as the one at hand. */
export function hintCommand(place: Place, ...words: readonly string[]): string {
  return safeText(atPlace(place, ['coppice', ...words].map(shellWord).join(' ')));
}

/**
 * A text for people in which every command that follows a colon works on the same home as the one at hand. Whoever wrote it,
 * such as a failure from below the command line, need not know which that is.
 */
export function forSamePlace(place: Place, text: string): string {
  return text.replaceAll(COMMAND, (_, before: string, command: string) => before + atPlace(place, command));
}

/** After a colon, up to the end of its sentence or line. What stands in quotes may hold anything. */
const COMMAND = /(: )(coppice (?:'[^']*'|"[^"]*"|\\.|[^'"\\\n])*?)(?=\. [A-Z]|[;,] |\n|$)/g;

/** What belongs to another program, after `--`, stays last. */
function atPlace(place: Place, command: string): string {
  if (OWN_PLACE.test(command)) return command;
  const [, own = command, rest = ''] = /^(.*?)( -- .*)$/.exec(command) ?? [];
  return [own, ...optionsFor(place, own)].join(' ') + rest;
}

/** Help is the same everywhere, and a place that is named already is the one that is meant. */
const OWN_PLACE = / --(help|home|remote)\b/;

function optionsFor({ home, remote }: Place, command: string): string[] {
  return [
    ...(remote === undefined || ONLY_HERE.test(command) ? [] : ['--remote', shellWord(remote)]),
    ...(home === undefined ? [] : ['--home', shellWord(home)]),
  ];
}

/** Commands that work on this machine only. */
const ONLY_HERE = /^coppice (serve|run|service|cron add|config init|token)\b/;
