import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether a file system is mounted on this directory. Give its real path. */
export function isMountPoint(path: string): boolean {
  return statSync(path).dev !== statSync(dirname(path)).dev || path === '/' || linuxMounts().has(path);
}

/** Only this list shows a directory that is mounted from another place of the same file system. */
function linuxMounts(): ReadonlySet<string> {
  if (process.platform !== 'linux') return new Set();
  try {
    return new Set(mountPoints(readFileSync('/proc/self/mountinfo', 'utf8')));
  } catch {
    // Without /proc the device numbers have to do.
    return new Set();
  }
}

/** The fifth field of each line; blanks, line breaks and backslashes in it are written as octal numbers. */
export function mountPoints(mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4])
    .filter((field) => field !== undefined)
    .map((field) =>
      field.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
}
