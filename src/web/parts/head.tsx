import type { PagePath } from '../../core/page-paths.ts';
import { signOut } from '../api/sign-in.ts';
import { place } from '../place.ts';
import { keysShown } from './keys-help.tsx';
import { Link } from './link.tsx';

const PAGES: readonly (readonly [PagePath, string])[] = [
  ['/', 'Attention'],
  ['/sessions', 'Sessions'],
  ['/storage', 'Storage'],
  ['/runs', 'Runs'],
];

export function Head() {
  const { path } = place.value;
  const current = path === '/session' ? '/sessions' : path;
  return (
    <header>
      <Link to="/" class="brand">
        Coppice
      </Link>
      <nav aria-label="Pages">
        {PAGES.map(([to, name]) => (
          <Link key={to} to={to} current={to === current}>
            {name}
          </Link>
        ))}
      </nav>
      <span class="end">
        <button type="button" class="plain" aria-label="Keys" title="Keys (?)" onClick={() => (keysShown.value = true)}>
          ?
        </button>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      </span>
    </header>
  );
}
