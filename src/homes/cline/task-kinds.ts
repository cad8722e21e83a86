import type { HomeKind } from '../home-kind.ts';
import { fileHomeKind } from '../file-home-kind.ts';
import { keepsTasks, type TaskKind, taskPlaces } from './task-places.ts';

/** Tasks of Cline in an editor. */
export const clineKind = taskKind('cline', 'Cline');
/** Tasks of Roo Code, which came out of Cline. */
export const rooKind = taskKind('roo-code', 'Roo Code');
/** Tasks of Kilo Code as its extension kept them until 2026. */
export const kiloKind = taskKind('kilo-code', 'Kilo Code');

/** They differ in where they are, and by whom they are written. */
function taskKind(name: TaskKind, agent: string): HomeKind {
  return fileHomeKind({
    name,
    agent,
    places: (env) => taskPlaces(name, env),
    mayBeHome: (path) => keepsTasks(name, path),
    load: async () => (await import('./task-agent.ts')).taskAgent(name, agent),
  });
}
