import { refuseMissingCommand } from '../../platform/machine/find-command.ts';

/** Whether there is such a program in these folders. */
export function findProgram(name: string, path: string): boolean {
  try {
    refuseMissingCommand(name, { cwd: '/', env: { PATH: path } });
    return true;
  } catch {
    return false;
  }
}
