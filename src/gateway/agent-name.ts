import { basename } from 'node:path';

/** The name by which an agent is known, however it is started. */
export function agentName(command: string): string {
  return basename(command).replace(/\.(js|mjs|cmd|exe)$/, '');
}
