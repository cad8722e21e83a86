/** A part of what a session is called, as people type it. */
export interface NamePart {
  /** Characters that its id begins or ends with; its title exactly; or what its title begins with, whatever the case of a to z. */
  readonly kind: 'id-start' | 'id-end' | 'title' | 'title-start';
  readonly text: string;
}

/** Fewer characters than this at the end of an id name nothing: the stores that look them up know so many. */
export const LEAST_END = 6;

/** Fewer of the beginning are never shown: a name that somebody chose is not cut to a stub. */
const LEAST_START = 12;

/** A place in the list of sessions: `@last` is the first, `@2` the second. Undefined for what is none. */
export function placeInList(typed: string): number | undefined {
  if (typed === '@last') return 1;
  const [, number] = /^@([1-9]\d{0,8})$/.exec(typed) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The part of an id that is shown in its place, and what it is at least. */
export interface ShownPart {
  readonly kind: 'id-start' | 'id-end';
  readonly least: number;
}

/**
 * Where an id differs from others. Those that a machine made tell the time first, so they begin alike, and end in what is random. Others
 * are names. Undefined for one that is shown whole.
 */
export function shownPart(id: string): ShownPart | undefined {
  if (/[0-9a-f]{12}$/i.test(id)) return { kind: 'id-end', least: LEAST_END };
  return characters(id).length > LEAST_START ? { kind: 'id-start', least: LEAST_START } : undefined;
}

/** So many characters of an id, by which it can be called; undefined where a shell or a person would not take it for them. */
export function pieceOf(id: string, { kind, length }: { kind: ShownPart['kind']; length: number }): string | undefined {
  const all = characters(id);
  const piece = (kind === 'id-end' ? all.slice(-length) : all.slice(0, length)).join('');
  return /^[-@]|^\s|\s$/.test(piece) ? undefined : piece;
}

/** How many characters two ids share where they are shown. */
export function sharedLength(kind: ShownPart['kind'], a: string, b: string): number {
  const [one, other] = [characters(a), characters(b)];
  if (kind === 'id-end') {
    one.reverse();
    other.reverse();
  }
  const differs = one.findIndex((character, at) => character !== other[at]);
  return differs === -1 ? one.length : differs;
}

/** As SQLite counts them: nothing is cut in the middle of a pair. */
function characters(id: string): string[] {
  return [...id];
}
