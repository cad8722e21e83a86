import { removeServiceFile } from '../../app/service/service-file.ts';
import { servicePlace } from '../../app/service/service-place.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import type { ServiceOptions } from './options.ts';

/** `coppice service remove`: the file that install wrote, and nothing else. */
export async function run({ options, io, global }: CommandInput<ServiceOptions>): Promise<number> {
  const { name = 'coppice', system: isSystem = false } = options;
  const place = servicePlace({ name, isSystem, env: io.env });
  const removed = removeServiceFile(place);
  if (global.json) writeJson(io.out, { file: place.file, removed });
  else if (removed) {
    io.out.write(
      `${safeText(`Removed ${place.file}`)}\nThe home and all that is in it stay. Type next: ${NEXT[place.manager](place.commands.stop, isSystem)}\n`,
    );
  } else io.out.write(`${safeText(place.file)} is not there: nothing is installed.\n`);
  return 0;
}

const NEXT = {
  systemd: (_stop: string, isSystem: boolean) => `systemctl ${isSystem ? '' : '--user '}daemon-reload`,
  launchd: (stop: string) => stop,
} as const;
