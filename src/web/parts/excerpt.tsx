import type { Hit } from './session-list.ts';

/** Words around what was found, with that marked. What agents wrote is text, whatever it looks like. */
export function Excerpt({ excerpt: { text, marks } }: Pick<Hit, 'excerpt'>) {
  const pieces: preact.ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    pieces.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  return (
    <span class="excerpt">
      {pieces}
      {text.slice(at)}
    </span>
  );
}
