/** What a completion script knows of the command line, whatever the shell. */
export interface Completion {
  /** Options that stand anywhere. */
  readonly globals: readonly CompletionOption[];
  /** Every command, the program itself first. */
  readonly commands: readonly CompletionCommand[];
}

export interface CompletionCommand {
  /** Its names without the program: `sessions list`; empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly about: string }[];
  /** Its own options. */
  readonly options: readonly CompletionOption[];
  /** What its last argument can be. */
  readonly argument: CompletionValue | undefined;
}

export interface CompletionOption {
  readonly flags: readonly string[];
  readonly about: string;
  /** Absent for an option that takes no value. */
  readonly value: CompletionValue | undefined;
}

export type CompletionValue =
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'dir' | 'file' | 'text' };

/** Options that may stand before the command and take a word that is not part of it. */
export function globalsWithValue({ globals }: Completion): readonly string[] {
  return globals.filter(({ value }) => value !== undefined).flatMap(({ flags }) => flags);
}

/** The branches of a `case "$at $prev"`, for bash and zsh, that complete the value of an option and return. */
export function valueCases({ globals, commands }: Completion, complete: (value: CompletionValue) => string): string {
  const cases = (prefix: string, options: readonly CompletionOption[]) =>
    options.flatMap(({ flags, value }) =>
      value === undefined ? [] : `    ${flags.map((flag) => prefix + flag).join('|')}) ${complete(value)} return ;;`,
    );
  const own = commands.flatMap(({ path, options }) => cases(quote(`${path} `), options));
  return [...own, ...cases("*' '", globals)].join('\n');
}

/** In single quotes, for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
