import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Answer } from '../../client/api.ts';
import { KIND_WORDS } from '../../core/retention/words.ts';
import { call } from '../api/call.ts';
import { Link } from './link.tsx';

type Decision = Answer<'POST /api/plans'>['decisions'][number];

/** What sessions are called, as far as it was asked for. */
const titles = signal<ReadonlyMap<string, string>>(new Map());
const asked = new Set<string>();
/** So many requests at once, however many rows come into sight. */
const AT_ONCE = 6;
const waiting: string[] = [];
let working = 0;

/** What an item is called: a session by its title, which is asked for when it is first seen. */
export function ItemName({ item: { kind, id } }: Pick<Decision, 'item'>) {
  useEffect(() => {
    if (kind === 'session') ask(id);
  }, [kind, id]);
  if (kind !== 'session') return <span class="name">{`${KIND_WORDS[kind]} ${id}`}</span>;
  return (
    <Link to="/session" query={{ id }} class="name">
      {titles.value.get(id) ?? id}
    </Link>
  );
}

function ask(id: string): void {
  if (asked.has(id)) return;
  asked.add(id);
  waiting.push(id);
  work();
}

function work(): void {
  if (working >= AT_ONCE) return;
  const id = waiting.shift();
  if (id === undefined) return;
  working += 1;
  void look(id).finally(() => {
    working -= 1;
    work();
  });
}

async function look(id: string): Promise<void> {
  // One that is gone is called by its id.
  const found = await call('GET /api/sessions/{id}', { id, query: { exact: true } }).catch(() => undefined);
  if (found?.title !== undefined) titles.value = new Map([...titles.value, [id, found.title]]);
}
