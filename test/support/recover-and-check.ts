import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import BetterSqlite3 from 'better-sqlite3';
import { collect } from './collect.ts';
import { checkProblems, checkState, type Expected, treeOf } from './engine-checker.ts';
import { type EngineHome, openEngineHome } from './engine-home.ts';

/**
 * Finishes what a crash cut short in `DIR/home`, and names every way in which the home is then not what its journal says: the
 * invariants of the engine. Ends with an undo of everything that can be undone, after which all must be as before.
 *
 * Whatever the moment of a death, recovery leads to one of a few homes that are the same in every row and file. One that is among
 * the `sound` has passed all of this before.
 */
export async function recoverAndCheck(directory: string, expected: Expected, sound: Set<string>): Promise<string[]> {
  await using at = await openEngineHome(join(directory, 'home'), { clock: expected.clock });
  await at.recover();
  const state = await stateOf(directory, at);
  await at.recover();
  if ((await stateOf(directory, at)) !== state) return ['recovering again changed something'];
  if (sound.has(state)) return [];
  const wrong = [...(await checkState(at, expected)), ...(await checkProblems(at))];
  for await (const { id } of at.retention.runs()) {
    const { skipped } = await at.retention.undo(id);
    if (skipped > 0) wrong.push(`undo skipped ${skipped} items`);
  }
  wrong.push(...(await checkState(at, expected)).map((what) => `after undo: ${what}`));
  if (wrong.length === 0) sound.add(state);
  return wrong;
}

/** Every row of every table, every file and every folder, in short. The ids of runs are drawn by lot: their places stand for them. */
async function stateOf(directory: string, { parts, engine }: EngineHome): Promise<string> {
  const db = new BetterSqlite3(parts.layout.database, { readonly: true });
  const integrity = db.pragma('integrity_check');
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all() as string[];
  const rows = tables.map((table) => db.prepare(`SELECT * FROM "${table}"`).raw().all());
  db.close();
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  const modes = names.map((name) => `${name} ${lstatSync(join(directory, name)).mode}`);
  const files = ['home/sessions', 'home/trash', 'home/archive', 'outside'].map((name) => treeOf(join(directory, name)));
  const runs = await collect(engine.journal.runs());
  const whole = runs.reduce(
    (text, { id }, place) => text.replaceAll(id, `run ${place}`),
    serialize([integrity, rows, modes, files]).toString('latin1'),
  );
  return createHash('sha1').update(whole, 'latin1').digest('hex');
}
