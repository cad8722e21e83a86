import { isEnabled, type ServiceFileState, serviceFileState } from '../../app/service/service-file.ts';
import { servicePlace } from '../../app/service/service-place.ts';
import type { CommandInput } from '../command.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import type { ServiceOptions } from './options.ts';

/** `coppice service status`. */
export async function run({ options, io, global }: CommandInput<ServiceOptions>): Promise<number> {
  const { name = 'coppice', system: isSystem = false } = options;
  const place = servicePlace({ name, isSystem, env: io.env });
  const { manager, file, isThere, commands } = place;
  const state = serviceFileState(file);
  const enabled = isEnabled(place);
  if (global.json) {
    writeJson(io.out, { manager, managerRuns: isThere, file, state, ...(manager === 'systemd' && { enabled }) });
    return 0;
  }
  const lines = [
    `${file} ${WORDS[state]}.`,
    ...(isThere ? [] : ['systemd does not run on this machine.']),
    ...(state === 'absent' ? [`Install it with: ${hintCommand(global, 'service', 'install')}`] : []),
    ...(manager === 'systemd' && state !== 'absent'
      ? [enabled ? 'It is started by itself.' : `It is not started by itself. Start it: ${commands.start.at(1)}`]
      : []),
    ...(state === 'absent' ? [] : [`See how it is: ${commands.look}`]),
  ];
  for (const line of lines) io.out.write(`${safeText(line)}\n`);
  return 0;
}

const WORDS: Readonly<Record<ServiceFileState, string>> = {
  absent: 'is not there: nothing is installed',
  'as-written': 'is as Coppice wrote it',
  edited: 'was changed since Coppice wrote it',
  foreign: 'was not written by Coppice',
};
