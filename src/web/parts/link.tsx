import type { ComponentChildren } from 'preact';
import type { PagePath } from '../../core/page-paths.ts';
import { addressOf, go, type Place } from '../place.ts';

interface LinkProps {
  readonly to: PagePath;
  readonly query?: Place['query'];
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A way to another page of ours, which opens in a new tab as any other link does. */
export function Link({ to, query, class: name, current = false, children }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    go(to, query);
  };
  return (
    <a href={addressOf(to, query)} class={name} aria-current={current ? 'page' : undefined} onClick={onClick}>
      {children}
    </a>
  );
}
