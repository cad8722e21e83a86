import { type Command as Definition, Option } from 'commander';
import {
  FILTER_NAMES,
  type FilterName,
  type FilterTests,
  SESSION_FILTERS,
} from '../../core/sessions/session-filters.ts';
import { ageOption, countOption, type Frame, numberOption, textOption, textsOption } from './define-command.ts';

/** What narrows down which sessions a command is about: the same words wherever sessions are chosen. */
export function addFilters(command: Definition, frame: Frame): Definition {
  command
    .addOption(
      ageOption('--older-than <when>', 'last active before this age or date (90, 90d, 5h, 2026-01-31)', frame.clock),
    )
    .addOption(ageOption('--newer-than <when>', 'last active since this age or date', frame.clock));
  for (const name of FILTER_NAMES) command.addOption(optionOf(name));
  return command;
}

function optionOf(name: FilterName): Option {
  const { fact, test, option, about } = SESSION_FILTERS[name];
  // Money has decimals.
  return fact === 'costUsd' ? numberOption(option, about) : MAKERS[test](option, about);
}

const MAKERS: Readonly<Record<keyof FilterTests, (flags: string, about: string) => Option>> = {
  is: textOption,
  contains: textOption,
  within: textOption,
  least: countOption,
  most: countOption,
  all: textsOption,
  yes: (flags, about) => new Option(flags, about),
};
