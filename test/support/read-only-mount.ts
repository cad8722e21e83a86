import { spawnSync } from 'node:child_process';

const MOUNT = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';

/** The beginning of a command line: what follows sees this folder on a disk that can only be read, and nobody else does. */
export function onReadOnlyDisk(folder: string): readonly string[] {
  return ['unshare', '-m', 'sh', '-c', MOUNT, 'sh', folder];
}

const [COMMAND = '', ...OPTIONS] = onReadOnlyDisk('/tmp');

/** True where this user may mount things for one process. */
export const MOUNTS_WORK = spawnSync(COMMAND, [...OPTIONS, 'true']).status === 0;
