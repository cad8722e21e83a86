import {
  type Completion,
  type CompletionCommand,
  type CompletionOption,
  type CompletionValue,
  globalsWithValue,
  quote,
  valueCases,
} from './completion-model.ts';

/** Works from a directory in `fpath` and when it is sourced. */
export function zshCompletion(completion: Completion): string {
  const { globals, commands } = completion;
  const paths = commands.slice(1).map(({ path }) => quote(path));
  return `#compdef coppice
_coppice() {
  local at= next prev=\${words[CURRENT-1]}
  local -i i
  local -a entries options
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
      ${globalsWithValue(completion).join('|')}) ((i++)); continue ;;
    esac
    next="\${at:+$at }\${words[i]}"
    case $next in
      ${paths.join('|')}) at=$next ;;
    esac
  done
  case "$at $prev" in
${valueCases(completion, complete)}
  esac
  case $at in
${commands.map(words).join('\n')}
  esac
  options+=(${globals.flatMap(optionEntries).join(' ')})
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  else
    _describe command entries
  fi
}
if [[ \${funcstack[1]} == _coppice ]]; then _coppice "$@"; else compdef _coppice coppice; fi
`;
}

function complete(value: CompletionValue): string {
  if (value.kind === 'choice') return `compadd -- ${value.choices.join(' ')};`;
  return { dir: '_files -/;', file: '_files;', text: '' }[value.kind];
}

function words({ path, subcommands, options, argument }: CompletionCommand): string {
  const entries = subcommands.map(({ name, about }) => entry(name, about));
  const parts = [`options=(${options.flatMap(optionEntries).join(' ')})`, `entries=(${entries.join(' ')})`];
  if (argument !== undefined && argument.kind !== 'text')
    parts.push(`if [[ $PREFIX != -* ]]; then ${complete(argument)} return; fi`);
  return `    ${quote(path)}) ${parts.join('; ')} ;;`;
}

function optionEntries({ flags, about }: CompletionOption): readonly string[] {
  return flags.map((flag) => entry(flag, about));
}

function entry(name: string, about: string): string {
  return quote(`${name}:${about.replaceAll(':', '\\:')}`);
}
