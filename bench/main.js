// npm run bench: every figure beside its limit, both measured in this run. COPPICE_BENCH_SESSIONS makes the home smaller.
// npm run bench -- NAME …: only these.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchAppends } from './appends.js';
import { benchArchive } from './archive.js';
import { benchCheckpointPrune } from './checkpoint-prune.js';
import { benchCheckpoints } from './checkpoints.js';
import { benchGateway } from './gateway.js';
import { benchHermes } from './hermes.js';
import { benchHermesBulk } from './hermes-bulk.js';
import { benchHermesLocks } from './hermes-locks.js';
import { benchHttp } from './http.js';
import { buildHome, SESSIONS } from './large-home.js';
import { finish } from './measure.js';
import { benchMeter } from './meter.js';
import { benchMemory, benchStart } from './processes.js';
import { benchObjects } from './objects.js';
import { benchOverview } from './overview.js';
import { benchReading } from './reading.js';
import { benchAppendsDuringPrune, benchPlan, benchRetention } from './retention.js';
import { benchSearch } from './search.js';
import { benchSupervise } from './supervise.js';
import { benchTranscripts } from './transcripts.js';
import { benchIdlePass, benchPurgeBesideWriter } from './upkeep.js';
import { benchUsage } from './usage.js';
import { benchYear } from './year.js';

const BENCHES = {
  appends: benchAppends,
  supervise: benchSupervise,
  gateway: benchGateway,
  meter: benchMeter,
  http: benchHttp,
  large: benchLarge,
  plan: benchPlan,
  retention: benchRetention,
  archive: benchArchive,
  objects: benchObjects,
  transcripts: benchTranscripts,
  'prune-beside': benchAppendsDuringPrune,
  'idle-pass': benchIdlePass,
  'purge-beside': benchPurgeBesideWriter,
  checkpoints: benchCheckpoints,
  'checkpoint-prune': benchCheckpointPrune,
  hermes: benchHermes,
  'hermes-locks': benchHermesLocks,
  'hermes-bulk': benchHermesBulk,
  usage: benchUsage,
  search: benchSearch,
  overview: benchOverview,
  year: benchYear,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0)
  throw new Error(`No such bench: ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}`);

const scratch = mkdtempSync(join(process.env.COPPICE_BENCH_DIR ?? tmpdir(), 'coppice-bench-'));
try {
  for (const [name, bench] of Object.entries(BENCHES))
    if (asked.length === 0 || asked.includes(name)) await bench(scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = finish() === 0 ? 0 : 1;

/** Everything about reading one home of many sessions. */
async function benchLarge(directory) {
  console.log(`Building a home of ${SESSIONS} sessions …`);
  const home = join(directory, 'large');
  await buildHome(home, { sessions: SESSIONS, messagesEach: 10 });
  await benchReading(home);
  await benchStart(home);
  benchMemory(home, directory);
}
