import { signal } from '@preact/signals';
import { PAGE_PATHS, type PagePath } from '../core/page-paths.ts';

export interface Place {
  readonly path: PagePath;
  readonly query: Readonly<Record<string, string>>;
}

/** Where the person is: what the address says. Going back and forth in the browser works as everywhere. */
export const place = signal<Place>(here());

globalThis.addEventListener('popstate', () => {
  place.value = here();
});

export function go(path: PagePath, query: Place['query'] = {}, { replace = false } = {}): void {
  const address = addressOf(path, query);
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  const isOther = path !== place.value.path;
  place.value = here();
  if (isOther) globalThis.scrollTo(0, 0);
}

export function addressOf(path: PagePath, query: Place['query'] = {}): string {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

function here(): Place {
  const path = PAGE_PATHS.find((one) => one === location.pathname) ?? '/';
  return { path, query: Object.fromEntries(new URLSearchParams(location.search)) };
}
