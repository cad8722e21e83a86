/** `coppice sessions list [options] <id>` */
export function usageOf(command) {
  const names = [];
  for (let at = command; at !== null; at = at.parent) names.unshift(at.name());
  const operands = command.registeredArguments.map(operandOf);
  const rest = command.commands.length > 0 ? ['<command>'] : operands;
  return [...names, ...(command.options.length > 0 ? ['[options]'] : []), ...rest].join(' ');
}

export function lineOf(command) {
  return usageOf(command).replace(/ [[<].*$/, '');
}

function operandOf(argument) {
  const text = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

/** The examples that follow the help of a command. */
export function examplesOf(command) {
  let text = '';
  const listener = command.listeners('afterHelp')[0];
  listener?.({ error: false, command, write: (part) => (text += part) });
  return text
    .split('\n')
    .filter((line) => line.startsWith('  coppice'))
    .map((line) => line.trim());
}

export function optionsOf(command) {
  return command.options.filter(({ hidden }) => !hidden).map(({ flags, description }) => ({ flags, description }));
}
