// npm run bench: every figure beside its limit, both measured in this run. COPPICE_BENCH_SESSIONS makes the home smaller.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchAppends } from './appends.js';
import { benchArchive } from './archive.js';
import { benchCheckpointPrune } from './checkpoint-prune.js';
import { benchCheckpoints } from './checkpoints.js';
import { benchGateway } from './gateway.js';
import { benchHermes } from './hermes.js';
import { benchHttp } from './http.js';
import { buildHome, SESSIONS } from './large-home.js';
import { finish } from './measure.js';
import { benchMemory, benchStart } from './processes.js';
import { benchReading } from './reading.js';
import { benchAppendsDuringPrune, benchPlan, benchRetention } from './retention.js';
import { benchSupervise } from './supervise.js';

const directory = mkdtempSync(join(process.env.COPPICE_BENCH_DIR ?? tmpdir(), 'coppice-bench-'));
try {
  await benchAppends(directory);
  await benchSupervise(directory);
  await benchGateway(directory);
  await benchHttp(directory);
  console.log(`Building a home of ${SESSIONS} sessions …`);
  const home = join(directory, 'large');
  await buildHome(home, { sessions: SESSIONS, messagesEach: 10 });
  await benchReading(home);
  await benchPlan(directory);
  await benchStart(home);
  benchMemory(home, directory);
  await benchRetention(directory);
  await benchArchive(directory);
  await benchAppendsDuringPrune(directory);
  await benchCheckpoints(directory);
  await benchCheckpointPrune(directory);
  await benchHermes(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = finish() === 0 ? 0 : 1;
