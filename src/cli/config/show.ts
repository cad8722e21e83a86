import { readFileSync } from 'node:fs';
import type { ConfigOrigin } from '../../app/config/config-origins.ts';
import { loadConfig } from '../../app/config/load-config.ts';
import { configPath } from '../../app/home-path.ts';
import type { CommandInput } from '../command.ts';
import type { ConfigShowOptions } from '../command-options.ts';
import { writeJson } from '../json-output.ts';
import { safeLines, safeText } from '../safe-text.ts';
import { renderTable } from '../table.ts';

/** `coppice config show`: the file as it stands, or with `--effective` every value in force and who set it. */
export async function run(input: CommandInput<ConfigShowOptions>): Promise<number> {
  const { global, io, options } = input;
  const file = await configPath(global.home, io.env);
  const { config, origins, fileExists } = await loadConfig({ file, env: io.env, overrides: global.set });
  const values = [...origins].map(([key, origin]) => ({ key, value: valueAt(config, key), ...origin }));
  if (global.json) writeJson(io.out, { file, settings: options.effective === true ? values : values.filter(isSet) });
  else if (options.effective === true)
    io.out.write(
      renderTable({ columns: COLUMNS, rows: values.map(row), width: io.out.columns, colour: io.out.colour }),
    );
  else if (fileExists) io.out.write(safeLines(readFileSync(file, 'utf8')));
  else
    io.out.write(
      `There is no ${safeText(file)}, so the defaults are in force.\nSee them with: coppice config show --effective\n`,
    );
  return 0;
}

const COLUMNS = [{ title: 'SETTING' }, { title: 'VALUE', shrink: true }, { title: 'SET BY', shrink: true }];

interface Setting extends ConfigOrigin {
  readonly key: string;
  readonly value: unknown;
}

function isSet({ level }: Setting): boolean {
  return level !== 'default';
}

function row({ key, value, level, where }: Setting): string[] {
  return [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
    where === undefined ? level : `${level} (${where})`,
  ];
}

/** Dotted keys name settings; a source may itself contain dots, so the longest matching names win. */
function valueAt(value: unknown, key: string): unknown {
  if (key === '' || typeof value !== 'object' || value === null) return value;
  for (const [name, inner] of Object.entries(value)) {
    if (key === name) return inner;
    if (key.startsWith(`${name}.`)) return valueAt(inner, key.slice(name.length + 1));
  }
  return undefined;
}
