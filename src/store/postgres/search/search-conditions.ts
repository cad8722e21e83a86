import { foldText, type SearchTerms } from '../../../core/sessions/search-terms.ts';
import type { Value } from '../database/sql.ts';
import { isTelling, wordsIn } from './searched-text.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** A word, or several that stand one after the other. */
export type Phrase = readonly string[];

export interface WordQuery {
  readonly wanted: readonly Phrase[];
  readonly condition: Condition;
}

/** What a row must say where whole words are asked for, or undefined when a term has no letter or digit. */
export function wordQuery({ wanted, unwanted }: SearchTerms): WordQuery | undefined {
  const phrases = wanted.map(phraseOf);
  if (phrases.some(({ length }) => length === 0)) return undefined;
  const none = unwanted.map(phraseOf).filter(({ length }) => length > 0);
  return {
    wanted: phrases,
    condition: allOf([
      { sql: 'words @> ?::text[]', values: [[...new Set(phrases.flat())]] },
      ...phrases.filter(({ length }) => length > 1).map(standsIn),
      ...none.map((phrase) => not(phrase.length > 1 ? standsIn(phrase) : hasWord(phrase))),
    ]),
  };
}

/**
 * What a row must say where parts of words are asked for: exactly that they stand in it, and do not stand in it. Undefined when no term
 * is telling enough: two Latin letters stand almost everywhere, two Chinese characters do not.
 */
export function partCondition({ wanted, unwanted }: SearchTerms, hasShorts: boolean): Condition | undefined {
  const pieces = wanted.map((term) => [...term]);
  const telling = pieces.filter((characters) => characters.length >= 3 || isTelling(characters.join('')));
  // What folds to nothing stands nowhere.
  if (telling.length === 0 || wanted.some((term) => foldText(term) === '')) return undefined;
  const shorts = wanted.map(foldText).filter((term) => isTelling(term) && [...term].length <= 2);
  return allOf([
    ...(hasShorts && shorts.length > 0 ? [{ sql: 'shorts @> ?::text[]', values: [shorts] }] : []),
    ...wanted.map(contains),
    ...unwanted.map((term) => not(contains(term))),
  ]);
}

/** How often each phrase stands in a row, as a column `f0`, `f1`, …; places that overlap count each. */
export function frequencies(phrases: readonly Phrase[]): Condition {
  const each = phrases.map((phrase, index) => {
    const [first = '', ...others] = phrase;
    const places = 'unnest(array_positions(words, ?::text))';
    if (others.length === 0)
      return { sql: `cardinality(array_positions(words, ?::text)) AS f${index}`, values: [first] };
    return {
      sql: `(SELECT count(*) FROM ${places} AS place WHERE words[place : place + ${others.length}] = ?::text[]) AS f${index}`,
      values: [first, phrase],
    };
  });
  return { sql: each.map(({ sql }) => sql).join(), values: each.flatMap(({ values }) => values) };
}

/** The condition that a phrase stands in a row at all. */
export function hasPhrase(phrase: Phrase): Condition {
  return phrase.length > 1
    ? allOf([{ sql: 'words @> ?::text[]', values: [[...new Set(phrase)]] }, standsIn(phrase)])
    : hasWord(phrase);
}

function phraseOf(term: string): Phrase {
  return wordsIn(foldText(term));
}

function hasWord(phrase: Phrase): Condition {
  return { sql: 'words @> ?::text[]', values: [phrase] };
}

function standsIn(phrase: Phrase): Condition {
  const [first = ''] = phrase;
  return {
    sql: `EXISTS (SELECT 1 FROM unnest(array_positions(words, ?::text)) AS place
      WHERE words[place : place + ${phrase.length - 1}] = ?::text[])`,
    values: [first, phrase],
  };
}

/** Nothing in a term is a pattern. */
function contains(term: string): Condition {
  return { sql: 'folded LIKE ?', values: [`%${foldText(term).replace(/[\\%_]/g, '\\$&')}%`] };
}

function not({ sql, values }: Condition): Condition {
  return { sql: `NOT (${sql})`, values };
}

function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}
