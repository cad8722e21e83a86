// Carries out one act on a home at a fixed time, from the built code. Run as: node engine-worker.js HOME ACT TIME
// Says at the end, as JSON, what came of it; a failure is said too, with its code.
// Composed by hand, because a setting would load the parser of settings: half the time of a process that is killed by the hundred.
import { DEFAULT_CONFIG } from '../../dist/app/config/config-defaults.js';
import { Home } from '../../dist/app/home.js';
import { nativeLayout } from '../../dist/homes/native/native-layout.js';
import { createTranscriptFiles } from '../../dist/homes/native/transcript-files.js';
import { openSqliteStore } from '../../dist/store/sqlite/sqlite-store.js';

const [, , path, act, time] = process.argv;
const ARCHIVE = { kind: 'archive', filter: { source: 'cli' } };
const ARCHIVES = { kind: 'delete', ids: ['a', 'old', 'first', 'next'] };
const FILES = { kind: 'prune', filter: { source: 'cli' }, part: 'files' };
try {
  const home = await openWithoutBallast();
  const { done, skipped, items } = await acts()[act](await home.retention());
  await home.close();
  process.stdout.write(`${JSON.stringify({ done, skipped, items })}\n`);
} catch (error) {
  const failed = error.name === 'Failure' ? error.code : 'bug';
  process.stdout.write(`${JSON.stringify({ failed, message: error.stack })}\n`);
}

async function openWithoutBallast() {
  const layout = nativeLayout(path);
  const clock = { now: () => Number(time) };
  const transcripts = createTranscriptFiles(layout, () => true);
  const store = await openSqliteStore({ path: layout.database, scratchDir: layout.root, clock, transcripts });
  const config = { ...DEFAULT_CONFIG, disk: { ...DEFAULT_CONFIG.disk, ballast_mb: 'never' } };
  return new Home({ layout, config, store, clock, transcripts });
}

function acts() {
  return {
    'apply the rules': async (retention) => retention.apply(await retention.plan()),
    'apply a drop of files': async (retention) => retention.apply(await retention.plan(FILES)),
    'undo the rules': async (retention) => retention.undo(await newestRun(retention)),
    'undo a drop of files': async (retention) => retention.undo(await newestRun(retention)),
    'empty the trash': async (retention) => retention.emptyTrash(await newestRun(retention)),
    'purge expired trash': async (retention) => retention.apply(await retention.plan()),
    'apply an archive': async (retention) => retention.apply(await retention.plan(ARCHIVE)),
    'undo an archive': async (retention) => retention.undo(await newestRun(retention)),
    'apply a removal of archives': async (retention) => retention.apply(await retention.plan(ARCHIVES)),
    'remove archives for good': async (retention) =>
      retention.emptyTrash((await retention.apply(await retention.plan(ARCHIVES))).run.id),
    // An apply of nothing: it recovers first, as every act does.
    recover: async (retention) => retention.apply(await retention.plan({ kind: 'delete', ids: ['no such session'] })),
  };
}

async function newestRun(retention) {
  for await (const { id } of retention.runs()) return id;
  throw new Error('there is no run');
}
