import {
  type Completion,
  type CompletionCommand,
  type CompletionOption,
  type CompletionValue,
  globalsWithValue,
  quote,
  valueCases,
} from './completion-model.ts';

/** Keeps to what bash 3.2 knows, which macOS ships. */
export function bashCompletion(completion: Completion): string {
  const { globals, commands } = completion;
  const paths = commands.slice(1).map(({ path }) => quote(path));
  return `# bash completion for coppice
_coppice() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= next i
  local commands= options= IFS=$' \\t\\n'
  COMPREPLY=()
  # bash splits --option=value into three words
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${globalsWithValue(completion).join('|')})
        i=$((i + 1))
        if [[ \${COMP_WORDS[i]} == = ]]; then i=$((i + 1)); fi
        continue ;;
    esac
    next="\${at:+$at }\${COMP_WORDS[i]}"
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
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options ${flags(globals)}" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  fi
}
_coppice_names() {
  local IFS=$'\\n'
  type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}
complete -F _coppice coppice
`;
}

function complete(value: CompletionValue): string {
  if (value.kind === 'choice') return `COMPREPLY=($(compgen -W ${quote(value.choices.join(' '))} -- "$cur"));`;
  return { dir: '_coppice_names -d "$cur";', file: '_coppice_names -f "$cur";', text: '' }[value.kind];
}

function words({ path, subcommands, options, argument }: CompletionCommand): string {
  const names = subcommands.map(({ name }) => name);
  const parts = [`options=${quote(flags(options))}`, `commands=${quote(names.join(' '))}`];
  if (argument !== undefined && argument.kind !== 'text')
    parts.push(`if [[ $cur != -* ]]; then ${complete(argument)} return; fi`);
  return `    ${quote(path)}) ${parts.join('; ')} ;;`;
}

function flags(options: readonly CompletionOption[]): string {
  return options.flatMap(({ flags: names }) => names).join(' ');
}
