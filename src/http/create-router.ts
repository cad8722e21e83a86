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
    const asIs = byShape.get(path);
    const { shape, id } = asIs === undefined ? withId(path) : { shape: path, id: '' };
    const candidates = asIs ?? byShape.get(shape);
    if (candidates === undefined) return { kind: 'no-such-path' };
    // Whoever only wants the head of an answer gets that of GET.
    const asked = method === 'HEAD' ? 'GET' : method;
    const route = candidates.find((candidate) => candidate.method === asked);
    return route === undefined ? { kind: 'wrong-method', allow: allowOf(candidates) } : { kind: 'found', route, id };
  };
}

function allowOf(routes: readonly Route[]): string {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method]));
  return [...methods, 'OPTIONS'].join(', ');
}

const ID_PART = /^(\/[^/]*\/[^/]*\/)([^/]+)/;

/** The path with its third part as an id. */
function withId(path: string): { readonly shape: string; readonly id: string } {
  const [whole = '', before = '', given = ''] = ID_PART.exec(path) ?? [];
  const id = decode(given);
  if (given === '' || id === undefined) return { shape: '', id: '' };
  return { shape: `${before}{id}${path.slice(whole.length)}`, id };
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
