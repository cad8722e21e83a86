import { spawnSync } from 'node:child_process';
import { BIN } from '../e2e/run-coppice.ts';

/** Permissions mean nothing to root, so what they protect is tried as nobody, where nobody can run the program. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Whether permissions can be tried here at all. */
export const PERMISSIONS_BIND =
  process.platform !== 'win32' && spawnSync(process.execPath, [BIN, '--version'], NOBODY).status === 0;
