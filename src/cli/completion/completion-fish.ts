import {
  type Completion,
  type CompletionCommand,
  type CompletionOption,
  type CompletionValue,
  globalsWithValue,
} from './completion-model.ts';

export function fishCompletion(completion: Completion): string {
  const { globals, commands } = completion;
  const paths = commands.slice(1).map(({ path }) => quote(path));
  const lines = [...commands.flatMap(commandLines), ...globals.map((option) => optionLine('', option))];
  return `# fish completion for coppice
function __coppice_at --description 'Whether the command typed so far is this one'
    set -l at
    set -l skip no
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = yes
            set skip no
        else if contains -- $word ${globalsWithValue(completion).join(' ')}
            set skip yes
        else
            set -l next (string join ' ' -- $at $word)
            contains -- $next ${paths.join(' ')}; and set at $next
        end
    end
    test "$at" = "$argv[1]"
end
complete -c coppice -f
${lines.join('\n')}
`;
}

function commandLines({ path, subcommands, options, argument }: CompletionCommand): readonly string[] {
  const condition = ` -n ${quote(`__coppice_at "${path}"`)}`;
  return [
    ...subcommands.map(({ name, about }) => `complete -c coppice${condition} -a ${name} -d ${quote(about)}`),
    ...(argument === undefined || argument.kind === 'text'
      ? []
      : [`complete -c coppice${condition}${values(argument)}`]),
    ...options.map((option) => optionLine(condition, option)),
  ];
}

function optionLine(condition: string, { flags, about, value }: CompletionOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join('');
  return `complete -c coppice${condition}${names}${value === undefined ? '' : ` ${value.kind === 'file' ? '-r' : '-x'}${values(value)}`} -d ${quote(about)}`;
}

function values(value: CompletionValue): string {
  if (value.kind === 'choice') return ` -a ${quote(value.choices.join(' '))}`;
  return { dir: ` -a '(__fish_complete_directories)'`, file: ' -F', text: '' }[value.kind];
}

/** In single quotes, where fish reads a backslash as an escape. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
