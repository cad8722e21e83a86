import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What everything about the checkpoints of a home takes, by the word of the system. */
export function checkpointUsage(home: string): number {
  const paths = ['checkpoints', 'cache/checkpoint-indexes'].map((name) => join(home, name)).filter(existsSync);
  const lines = execFileSync('du', ['-s', '--block-size=1', ...paths], { encoding: 'utf8' });
  return lines.split('\n').reduce((sum, line) => sum + Number(line.split('\t', 1)), 0);
}

/** What a whole home takes, by the word of the system: files with several names once for each, the memory of open databases not at all. */
export function homeUsage(home: string): number {
  const said = execFileSync('du', ['-sl', '--block-size=1', '--exclude=*.db-shm', home], { encoding: 'utf8' });
  return Number(said.split('\t', 1));
}
