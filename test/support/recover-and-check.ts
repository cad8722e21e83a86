import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { checkProblems, checkState, type Expected } from './engine-checker.ts';
import { openEngineHome } from './engine-home.ts';
import { firstDifference, homeState } from './home-state.ts';

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
  const once = await homeState(directory, at);
  await at.recover();
  const changed = firstDifference(once, await homeState(directory, at));
  if (changed !== undefined) return [`recovering again changed something: ${changed}`];
  const state = createHash('sha1').update(once.join('\n')).digest('hex');
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
