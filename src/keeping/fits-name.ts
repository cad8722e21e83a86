import { fold } from '../core/sessions/filter-match.ts';
import { LEAST_END, type NamePart } from '../core/sessions/session-names.ts';

/** Whether a part of what a session is called fits its id, or its title. Nothing in it is a pattern. */
export function fitsName({ kind, text }: NamePart, name: string): boolean {
  if (kind === 'title') return name === text;
  if (kind === 'title-start') return fold(name).startsWith(fold(text));
  if (kind === 'id-start') return name.startsWith(text);
  return [...text].length >= LEAST_END && name.endsWith(text);
}

/** Whether it is about titles. */
export function isAboutTitle({ kind }: NamePart): boolean {
  return kind === 'title' || kind === 'title-start';
}
