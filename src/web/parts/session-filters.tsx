import { useEffect, useRef } from 'preact/hooks';
import { go, place } from '../place.ts';

/** What sessions can be chosen by on the page; the names are those of the API, so an address is a query. */
export const FILTER_FIELDS = [
  ['source', 'Source'],
  ['project', 'Project'],
  ['model', 'Model'],
  ['title', 'Title'],
  ['tags', 'Tag'],
] as const;

const SORTS = [
  ['last', 'Most recent'],
  ['size', 'Size'],
  ['messages', 'Messages'],
  ['tokens', 'Tokens'],
  ['cost', 'Cost'],
] as const;

const PAUSE_MS = 250;

/** Puts something into the address, or takes it out. */
function set(name: string, value: string): void {
  const { path, query } = place.value;
  const { [name]: _, ...rest } = query;
  go(path, value === '' ? rest : { ...rest, [name]: value }, { replace: true });
}

/** The fields by which the list is narrowed down. What they hold stands in the address. */
export function SessionFilters() {
  const { query } = place.value;
  const count = FILTER_FIELDS.filter(([name]) => query[name] !== undefined).length;
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Field id="search" name="q" label="Search" placeholder='words, "exact phrases", -words' />
      <label>
        Sort by
        <select value={query['sort'] ?? 'last'} onChange={(event) => set('sort', event.currentTarget.value)}>
          {SORTS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <details class="more" open={count > 0}>
        <summary>Filter{count > 0 && ` (${count})`}</summary>
        <div class="fields">
          {FILTER_FIELDS.map(([name, label]) => (
            <Field key={name} name={name} label={label} />
          ))}
        </div>
      </details>
      <Choice name="pinned" label="Pinned" />
      <Choice name="archived" label="Archived" />
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly id?: string;
  readonly placeholder?: string;
}

function Field({ name, label, id, placeholder }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const given = place.value.query[name] ?? '';
  // What was typed is not taken away from whoever types.
  useEffect(() => {
    if (input.current !== null && document.activeElement !== input.current) input.current.value = given;
  }, [given]);
  const onInput = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set(name, value.trim()), PAUSE_MS);
  };
  return (
    <label>
      {label}
      <input
        ref={input}
        {...(id !== undefined && { id })}
        {...(placeholder !== undefined && { placeholder })}
        type="search"
        defaultValue={given}
        spellcheck={false}
        onInput={onInput}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </label>
  );
}

function Choice({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={place.value.query[name] === 'true'}
        onChange={(event) => set(name, event.currentTarget.checked ? 'true' : '')}
      />
      {label}
    </label>
  );
}
