// Compiles src/ to dist/ from scratch, so that a file that was renamed or removed leaves nothing behind.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

const root = new URL('..', import.meta.url);
rmSync(new URL('dist', root), { recursive: true, force: true });
const tsc = new URL('node_modules/typescript/bin/tsc', root);
const { status } = spawnSync(process.execPath, [tsc.pathname, '-p', '.'], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
