import { everyCommand } from '../../dist/cli/command-tree.js';
import { examplesOf, lineOf, optionsOf, usageOf } from './describe-command.js';

/** A page for man(1): one for the program, one for each of its commands with all below it. */
export function manPage(command, { name, version }) {
  const isProgram = command.parent === null;
  const below = isProgram ? [] : everyCommand(command).filter(({ commands }) => commands.length === 0);
  return [
    `.TH ${name.toUpperCase()} 1 "" "coppice ${version}" "Coppice"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(command.description())}`,
    '.SH SYNOPSIS',
    `.B ${roff(usageOf(command))}`,
    ...(isProgram ? programLines(command) : below.flatMap(commandLines)),
    '.SH SEE ALSO',
    isProgram ? 'coppice help, coppice <command> \\-\\-help' : '.BR coppice (1)',
    '',
  ].join('\n');
}

function programLines(program) {
  return [
    '.SH COMMANDS',
    ...program.commands.flatMap((one) => ['.TP', `.B ${roff(one.name())}`, roff(`${one.description()}.`)]),
    '.SH OPTIONS',
    ...optionLines(program),
  ];
}

function commandLines(command) {
  const examples = examplesOf(command);
  return [
    `.SH "${roff(lineOf(command)).toUpperCase()}"`,
    roff(`${command.description()}.`),
    '.PP',
    `.B ${roff(usageOf(command))}`,
    ...command.registeredArguments.flatMap((one) => ['.TP', `.I ${roff(one.name())}`, roff(one.description)]),
    ...optionLines(command),
    ...(examples.length === 0 ? [] : ['.PP', 'Examples:', '.nf', ...examples.map(roff), '.fi']),
  ];
}

function optionLines(command) {
  return optionsOf(command).flatMap(({ flags, description }) => ['.TP', `.B ${roff(flags)}`, roff(description)]);
}

/** Backslashes, hyphens and leading dots mean something to roff. */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
