import { Failure } from '../../core/failure.ts';
import { closestWord } from '../config/closest-word.ts';
import { type Environment, type KnownHome, knownHomes } from './known-homes.ts';

/** The homes that a command is about which names none: all that hold anything, or those of one agent. */
export async function chooseHomes(env: Environment, agent?: string): Promise<readonly KnownHome[]> {
  const { homes } = await knownHomes(env);
  const all = homes.filter(({ ignored, empty }) => !ignored && empty !== true);
  if (agent === undefined) return all;
  const wanted = plain(agent);
  const chosen = all.filter((home) => plain(home.kind) === wanted || plain(home.agent) === wanted);
  if (chosen.length > 0) return chosen;
  throw noneOf(agent, [...new Set(all.map(({ kind }) => kind))]);
}

/** `Some Agent` and `some-agent` are one agent. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]+/g, '-');
}

function noneOf(agent: string, kinds: readonly string[]): Failure {
  const meant = closestWord(agent, kinds);
  const known = kinds.length === 0 ? 'There is none yet.' : `Agents here: ${kinds.join(', ')}.`;
  return new Failure('not-found', `No home of an agent called ${agent} was found.`, {
    hint: `${meant === undefined ? known : `Did you mean ${meant}?`} See all with: coppice homes list`,
  });
}
