import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { errorCode } from '../error-code.ts';

export interface CommandPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Throws, as starting it would, when there is no such program: ENOENT, or EACCES for a file that may not be run. */
export function refuseMissingCommand(command: string, { cwd, env }: CommandPlace): void {
  const folders = command.includes('/') ? ['.'] : (env['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  let refusal: unknown = Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
  for (const folder of folders) {
    try {
      const path = resolve(cwd, folder, command);
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return;
    } catch (error) {
      if (errorCode(error) === 'EACCES') refusal = error;
    }
  }
  throw refusal;
}
