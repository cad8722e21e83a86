import { join } from 'node:path';
import { isThere } from '../../../platform/files/is-there.ts';
import { listNames } from '../../../platform/files/list-names.ts';

/** Each of the agents that it is has a database of its own. */
export function openclawDatabases(home: string): readonly string[] {
  const agents = join(home, 'agents');
  return listNames(agents)
    .toSorted()
    .map((name) => join(agents, name, 'agent', 'openclaw-agent.sqlite'))
    .filter(isThere);
}
