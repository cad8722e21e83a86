import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import type { RunItem } from '../../src/core/retention/run.ts';
import type { Use } from '../../src/core/sessions/in-use.ts';
import { DAY_MS } from '../../src/core/time.ts';
import type { TestedHome } from '../../src/homes/tested-home.conformance.ts';
import type { ArchiveObjects } from '../../src/keeping/archive/shelf/object-place.ts';
import { manualClock } from './clock.ts';
import { collect } from './collect.ts';
import { checkProblems, takeBaseline } from './engine-checker.ts';
import { type EngineHome, openEngineHome } from './engine-home.ts';
import { copyScene, RUN_AT } from './engine-scene.ts';
import { dieAtChange } from './hermes-faults.ts';

/** A copy of a scene, for one test. */
export async function copyNative(scene: string, objects?: ArchiveObjects): Promise<TestedHome> {
  const directory = mkdtempSync(join(tmpdir(), 'coppice-native-'));
  const path = copyScene(scene, directory);
  // One that lies in another is seen to in two runs.
  rmSync(join(path, 'sessions/ff/broken'), { recursive: true });
  const clock = manualClock(RUN_AT);
  const at = await openEngineHome(path, { clock, objects });
  // As the engine does while its driver works. Without it, whoever looks would finish what is under way.
  const lock = new BetterSqlite3(at.parts.layout.lock);
  chmodSync(at.parts.layout.lock, 0o600);
  lock.exec('BEGIN EXCLUSIVE');
  const live = await at.home.sessions.open('in use');
  await live.append({ role: 'user', content: 'still here' });
  return {
    driver: journalled(at),
    removable: ['next', 'first', 'old child', 'old', 'a', 'empty', 'recent'],
    held: ['a_b', 'in use'],
    dump: () => takeBaseline(directory, at),
    // Nobody finishes the run here.
    problems: async () => (await checkProblems(at)).filter((line) => !line.includes('is at work, or was cut short')),
    async change(id) {
      const session = await at.home.sessions.open(id);
      await session.resume();
      await session.append({ role: 'user', content: 'one more' });
      await session.end('done');
    },
    use: async (id, use) => useNative(at, id, use),
    async dieAt(change, step) {
      await using other = await openEngineHome(path, { clock, objects });
      return await dieAtChange(change, () => step(journalled(other)));
    },
    async [Symbol.asyncDispose]() {
      lock.close();
      await at[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Nothing else about the session changes, its time least of all: only its use is to hold it. */
const USES: Readonly<Record<Use, string>> = {
  active: `INSERT INTO leases SELECT key, (SELECT id FROM holders) FROM sessions WHERE id = $id`,
  routed: `INSERT INTO routes SELECT 'telegram:42', key, 1 FROM sessions WHERE id = $id`,
  open: 'UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = $id',
};

function useNative({ parts }: EngineHome, id: string, use: Use): void {
  const db = new BetterSqlite3(parts.layout.database);
  // A conversation that ended on purpose answers nobody.
  db.prepare(`UPDATE sessions SET end_reason = 'crash' WHERE id = ?`).run(id);
  db.prepare(USES[use]).run({ id });
  db.close();
}

/** This driver keeps a part of what it needs for the way back in the journal, where the engine has written its intent first. */
function journalled({ engine }: EngineHome): HomeDriver {
  const { driver, journal } = engine;
  const intend = async (id: string, items: readonly RunItem[]) => {
    if ((await journal.run(id)) === undefined)
      await journal.begin({ id, request: { kind: 'policy' }, startedAt: RUN_AT, expiresAt: RUN_AT + DAY_MS });
    const known = new Set((await collect(journal.items(id))).map(({ number }) => number));
    await journal.intend(
      id,
      items.filter(({ number }) => !known.has(number)),
    );
  };
  return {
    ...driver,
    async discard(runId, items) {
      await intend(runId, items);
      return driver.discard(runId, items);
    },
  };
}
