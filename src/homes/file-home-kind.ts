import type { FileHomeParts } from './found-file-home.ts';
import type { HomeKind } from './home-kind.ts';
import { recordedKind } from './recorded-kind.ts';

/** Makes a kind of home out of what its agent has of its own. What opens one is loaded only where one was found. */
export function fileHomeKind(parts: FileHomeParts): HomeKind {
  const { name, agent } = parts;
  const mayBeHome = (path: string) => parts.mayBeHome(path) || recordedKind(path) === name;
  return {
    name,
    agent,
    places: (env) => parts.places(env).filter(mayBeHome),
    async detect(path) {
      if (!mayBeHome(path)) return undefined;
      const reasons = parts.reasons === undefined ? [] : await parts.reasons(path);
      if (reasons === undefined) return undefined;
      const { foundFileHome } = await import('./found-file-home.ts');
      return foundFileHome(parts, path, { reasons, loaded: await parts.load() });
    },
  };
}
