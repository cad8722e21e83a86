import type { SettingInForce } from '../../app/config/configuration.ts';
import type { CommandInput } from '../command.ts';
import type { ConfigShowOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeLines, safeText } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';
import { warnOfConfig } from '../warn-of-config.ts';
import { withConfiguration } from './with-configuration.ts';

/** `coppice config show`: the file as it stands, or with `--effective` every value in force and who set it. */
export function run(input: CommandInput<ConfigShowOptions>): Promise<number> {
  const { global, io, options } = input;
  return withConfiguration(input, async (configuration) => {
    const { file } = configuration;
    const { text, settings: all, issues } = await configuration.show();
    warnOfConfig(io.err, global, issues);
    const { columns: width, colour } = io.out;
    if (global.json) writeJson(io.out, { file, settings: options.effective === true ? all : all.filter(isSet) });
    else if (options.effective === true)
      io.out.write(renderTable({ columns: COLUMNS, rows: all.map(row), width, colour }));
    else if (text !== undefined) io.out.write(safeLines(text));
    else
      io.out.write(
        `There is no ${safeText(file)}, so the defaults are in force.\nSee them with: ${hintCommand(global, 'config', 'show', '--effective')}\n`,
      );
    return 0;
  });
}

const COLUMNS = [{ title: 'SETTING' }, { title: 'VALUE', shrink: true }, { title: 'SET BY', shrink: true }];

function isSet({ level }: SettingInForce): boolean {
  return level !== 'default';
}

function row({ key, value, level, where }: SettingInForce): string[] {
  return [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
    where === undefined ? level : `${level} (${where})`,
  ];
}
