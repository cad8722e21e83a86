import { Argument, type Command as Definition, Option } from 'commander';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../core/time.ts';
import type { Command, CommandInput } from '../command.ts';
import { commandLine } from '../command-tree.ts';
import type { OpenKnownHome } from '../homes/open-homes.ts';
import {
  parseAmount,
  parseChoice,
  parseCount,
  parseDate,
  parseDuration,
  parsePast,
  parsePort,
  parseText,
} from '../parse-values.ts';

/** What defining commands needs: the time, for ages such as `90d`, and what to do when one is called. */
export interface Frame {
  readonly clock: Clock;
  readonly execute: <O>(load: Load<O>, definition: Definition, over?: Over) => Promise<void>;
}

/**
 * What a command is about when no home is named and there are several: `each` of them in turn, the one that has what was `named` by
 * all arguments or by the first, all of them in one list (`merged`; `ruled` where it says what the rules do), or the one of a plan or of a run. Other commands are about the home
 * in use.
 */
export type Over = 'each' | 'named' | 'first-named' | 'merged' | 'ruled' | 'plan' | 'run';

/** Loads the module of a command when it is called, so that no other command pays for it. */
export type Load<O> = () => Promise<CommandModule<O>>;

export interface CommandModule<O> {
  readonly run: Command<O>;
  /** The same over several homes that are open, for a command whose answer is one list. */
  readonly runOver?: (homes: readonly OpenKnownHome[], input: CommandInput<O>) => Promise<number>;
}

export interface CommandSpec<O> {
  readonly name: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly load: Load<O>;
  /** What its group does when no command is named. */
  readonly isDefault?: boolean;
  /** Why it does not work with `--remote`; all others do. It follows "because". */
  readonly onlyHere?: string;
  /** What it is about when no home is named; the home in use when absent. */
  readonly over?: Over;
}

/** Adds a command that does something. Arguments and options are added to what it returns. */
export function defineCommand<O>(parent: Definition, frame: Frame, spec: CommandSpec<O>): Definition {
  const definition = parent.command(spec.name, { isDefault: spec.isDefault ?? false }).description(spec.about);
  if (spec.over !== undefined) definition.addOption(textOption('--agent <agent>', 'only homes of this agent'));
  return addExamples(definition, spec.examples).action(() => {
    if (spec.onlyHere !== undefined) refuseRemote(definition, spec.onlyHere);
    return frame.execute(spec.load, definition, spec.over);
  });
}

function refuseRemote(definition: Definition, why: string): void {
  if (definition.optsWithGlobals<{ remote?: string }>().remote === undefined) return;
  throw new Failure('usage', `${commandLine(definition)} does not work with --remote, because ${why}.`, {
    hint: 'Run it on the machine where the home is.',
  });
}

/** Adds a command that only holds others. */
export function defineGroup(parent: Definition, spec: Omit<CommandSpec<never>, 'load'>): Definition {
  const definition = parent.command(spec.name).description(spec.about).usage('<command> [options]').helpCommand(false);
  return addExamples(definition, spec.examples);
}

export function addExamples(definition: Definition, examples: readonly string[]): Definition {
  return definition.addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  ${example}`)].join('\n'));
}

/** What `--dry-run` and `--yes` say where something is removed. */
export const DRY_RUN = 'show what would go, and change nothing';
export const YES_BUT_HOLDS = 'do it without asking; what is held stays all the same';
export const FOR_GOOD = 'also what is marked FOR GOOD; without it that goes into the trash';

// The makers of options. A value named <dir> or <file> completes to names of directories or files.

export function textOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parseText(flagOf(option), text));
}

export function textsOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return option.argParser((text, before: readonly string[] | undefined) => [
    ...(before ?? []),
    parseText(flagOf(option), text),
  ]);
}

export function countOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parseCount(flagOf(option), text));
}

export function portOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parsePort(flagOf(option), text));
}

export function numberOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parseAmount(flagOf(option), text));
}

export function dateOption(flags: string, about: string, clock: Clock): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parseDate(flagOf(option), text, clock.now()));
}

/** How long something is to be. */
export function durationOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parseDuration(flagOf(option), text));
}

/** An age or a date that lies back: a bare number is days. */
export function ageOption(flags: string, about: string, clock: Clock): Option {
  const option = new Option(flags, about);
  return option.argParser((text) => parsePast(flagOf(option), text, clock.now()));
}

export function choiceOption(flags: string, about: string, choices: readonly string[]): Option {
  const option = new Option(flags, about).choices(choices);
  return option.argParser((text) => parseChoice(flagOf(option), text, choices));
}

export function choiceArgument(name: string, about: string, choices: readonly string[]): Argument {
  return new Argument(`<${name}>`, about)
    .choices(choices)
    .argParser((text) => parseChoice(`The ${name}`, text, choices));
}

function flagOf(option: Option): string {
  return option.long ?? option.flags;
}
