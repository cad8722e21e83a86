import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Stops the server of a run, if anybody started it. */
export function stopPostgresServer(runDirectory: string): void {
  const pidFile = join(runDirectory, 'postgres', 'data', 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  for (let left = 500; left > 0 && existsSync(pidFile); left -= 1) spawnSync('sleep', ['0.01']);
}
