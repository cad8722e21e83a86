import type { Route } from './route.ts';

export type Found =
  | { readonly kind: 'found'; readonly route: Route; readonly id: string }
  | { readonly kind: 'wrong-method'; readonly allow: string }
  | { readonly kind: 'no-such-path' };

/**
 * Finds the route of a request. A path is taken apart before it is decoded, so that an id may hold any character, slashes
 * included; nothing in a path means "the one above".
 */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Found {
  const byShape = new Map<string, Route[]>();
  for (const route of routes) byShape.set(route.path, [...(byShape.get(route.path) ?? []), route]);

  return (method, path) => {
    for (const { shape, id } of readings(path)) {
      const candidates = byShape.get(shape);
      if (candidates === undefined) continue;
      const route = candidates.find((candidate) => candidate.method === method);
      if (route !== undefined) return { kind: 'found', route, id };
      return { kind: 'wrong-method', allow: candidates.map((candidate) => candidate.method).join(', ') };
    }
    return { kind: 'no-such-path' };
  };
}

/** The path as it is, and with its third part as an id. */
function readings(path: string): readonly { readonly shape: string; readonly id: string }[] {
  const parts = path.split('/');
  const [, , , given = ''] = parts;
  const id = decode(given);
  const asIs = { shape: path, id: '' };
  if (given === '' || id === undefined) return [asIs];
  return [asIs, { shape: parts.with(3, '{id}').join('/'), id }];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
