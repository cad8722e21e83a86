import type { Command as Definition } from 'commander';

/** A command and all below it. */
export function everyCommand(definition: Definition): readonly Definition[] {
  return [definition, ...definition.commands.flatMap(everyCommand)];
}

/** As a person types it: `coppice sessions list`. */
export function commandLine(definition: Definition): string {
  return definition.parent === null ? definition.name() : `${commandLine(definition.parent)} ${definition.name()}`;
}
