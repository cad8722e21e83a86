// Takes checkpoints in a process of its own: node take-worker.js <home> <workdir> <rounds>. Prints one result per line.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../dist/checkpoints/store/open-store.js';
import { takeSnapshot } from '../../dist/checkpoints/take/take-snapshot.js';
import { createSharedLock } from '../../dist/store/sqlite/sqlite-shared-lock.js';

const [homeRoot = '', workdir = '', rounds = '1'] = process.argv.slice(2);
const store = await openStore({
  root: join(homeRoot, 'checkpoints'),
  limits: { homeRoot, maxFileBytes: 1024 * 1024, maxFiles: 200_000, exclude: [] },
  clock: { now: () => Date.now() },
  createLock: createSharedLock,
});
for (let round = 0; round < Number(rounds); round += 1) {
  if (Number(rounds) > 1) appendFileSync(join(workdir, `by-${process.pid}`), `${round}\n`);
  console.log(JSON.stringify(await takeSnapshot(store, { workdir })));
}
