/**
 * Node can neither make a terminal wholly raw, because it leaves line breaks to be changed on the way out, nor give one a size. The
 * program `stty` can do both on every system that has terminals.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/** What `stty -g` says of the terminal at this open file: words that set it again. Undefined where nobody can tell. */
export function readTerminalMode(fd: number): string | undefined {
  const { status, stdout } = spawnSync('stty', ['-g'], { stdio: [fd, 'pipe', 'ignore'], encoding: 'utf8' });
  const mode = stdout?.trim();
  return status === 0 && /^[\w:=,.-]+$/.test(mode) ? mode : undefined;
}

/** Sets it. False when that was not possible, as for a terminal that is gone. */
export function setTerminalMode(fd: number, mode: readonly string[]): boolean {
  return spawnSync('stty', mode, { stdio: [fd, 'ignore', 'ignore'] }).status === 0;
}

/** Every byte passes as it is, in both directions. */
export const RAW: readonly string[] = ['raw', '-echo', '-iexten'];

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** Undefined where nobody can tell. */
export function readTerminalSize(fd: number): TerminalSize | undefined {
  const { stdout } = spawnSync('stty', ['size'], { stdio: [fd, 'pipe', 'ignore'], encoding: 'utf8' });
  const [rows, columns] = (stdout ?? '').trim().split(' ').map(Number);
  return rows !== undefined && columns !== undefined ? { rows, columns } : undefined;
}

/** The words for `stty` that set a size. A terminal that says it has none gets none. */
export function sizeWords({ rows, columns }: TerminalSize): readonly string[] {
  return rows > 0 && columns > 0 ? ['rows', String(rows), 'cols', String(columns)] : [];
}

/** Gives the terminal of this name a size, and whoever is in its foreground is told. One that is gone has none. */
export function setTerminalSize(path: string, size: TerminalSize): Promise<void> {
  return new Promise((resolve) => {
    try {
      const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
      const stty = spawn('stty', sizeWords(size), { stdio: [fd, 'ignore', 'ignore'] });
      // The child has its own: a terminal ends when nobody has it open.
      closeSync(fd);
      stty.once('error', () => resolve());
      stty.once('exit', () => resolve());
    } catch {
      resolve();
    }
  });
}
