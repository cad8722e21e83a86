import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Everything that people read, as paths in the project. */
export const PAGES: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .toSorted(),
];

/** A block of a page between lines of three backticks. */
export interface Example {
  readonly page: string;
  /** Its place among the examples of this language on the page, from 1. */
  readonly number: number;
  readonly language: string;
  readonly code: string;
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Every example of every page. */
export const EXAMPLES: readonly Example[] = PAGES.flatMap(onPage);

export function examplesIn(language: string): readonly Example[] {
  return EXAMPLES.filter((example) => example.language === language);
}

/** The lines of an example, without what is said about them. */
export function linesOf(code: string): readonly string[] {
  return code
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''))
    .filter((line) => line !== '');
}

function onPage(page: string): readonly Example[] {
  const counts = new Map<string, number>();
  return [...textOf(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => {
    const number = (counts.get(language) ?? 0) + 1;
    counts.set(language, number);
    return { page, number, language, code };
  });
}
