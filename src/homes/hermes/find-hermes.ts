import type { FoundHome } from '../home-kind.ts';
import { detectHermes } from './detect-hermes.ts';
import { hermesDefaults } from './hermes-defaults.ts';
import { createHermesSessionReader } from './sessions/hermes-session-reader.ts';

/** Looks whether a folder is a home of Hermes, and what may be done with it. */
export async function findHermes(path: string): Promise<FoundHome | undefined> {
  const detection = await detectHermes(path);
  if (detection === undefined) return undefined;
  return {
    kind: 'hermes',
    agent: 'Hermes',
    path,
    reasons: detection.reasons,
    reader: (clock) => (detection.shape === undefined ? undefined : createHermesSessionReader({ home: path, clock })),
    defaults: () => hermesDefaults(path),
    async open(opening) {
      const { openHermesHome } = await import('./open-hermes-home.ts');
      return openHermesHome({ path, detection, ...opening });
    },
  };
}
