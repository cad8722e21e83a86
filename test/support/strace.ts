import { spawnSync } from 'node:child_process';

/** True where `strace` is installed and allowed to trace. */
export const STRACE_WORKS = spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true']).status === 0;

/** `strace` that looks only at these files, writes what it sees to `log`, and does nothing else unless told to. */
export function strace(paths: readonly string[], log: string, options: readonly string[]): readonly string[] {
  return ['strace', '-f', '-qq', '-o', log, ...paths.flatMap((path) => ['-P', path]), ...options];
}
