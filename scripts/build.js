// Compiles src/ from scratch beside dist/ and then swaps the two: a file that was renamed or removed leaves nothing behind,
// and what runs from dist/ meanwhile never finds half of it.
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const made = `${root}dist.new-${process.pid}`;
const old = `${root}dist.old-${process.pid}`;
const { status } = spawnSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, '-p', '.', '--outDir', made],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
if (status === 0) {
  moveAside(`${root}dist`);
  renameSync(made, `${root}dist`);
}
for (const left of [made, old]) rmSync(left, { recursive: true, force: true });
process.exit(status ?? 1);

function moveAside(path) {
  try {
    renameSync(path, old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
