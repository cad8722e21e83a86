import { signal } from '@preact/signals';
import { go, place } from '../place.ts';
import { Dialog } from './dialog.tsx';
import { useKeys } from './keys.ts';

export const keysShown = signal(false);

const KEYS: readonly (readonly [string, string])[] = [
  ['1 2 3 4', 'Attention, Sessions, Storage, Runs'],
  ['/', 'search'],
  ['j  k', 'the next, the one before'],
  ['Enter', 'open it'],
  ['x', 'choose it, or not'],
  ['Escape', 'close, or leave the search'],
  ['?', 'this'],
];

/** The keys that work everywhere, and what tells them. */
export function KeysHelp() {
  useKeys({
    '?': () => (keysShown.value = true),
    '/': (event) => {
      event.preventDefault();
      search();
    },
    1: () => go('/'),
    2: () => go('/sessions'),
    3: () => go('/storage'),
    4: () => go('/runs'),
  });
  if (!keysShown.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (keysShown.value = false)}>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button>Close</button>
      </form>
    </Dialog>
  );
}

function search(): void {
  if (place.value.path !== '/sessions') go('/sessions');
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.focus());
}
