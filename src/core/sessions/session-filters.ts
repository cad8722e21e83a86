import { WORD_FILTERS, type WordFact } from './word-facts.ts';

/** How a filter compares a fact with what was given for it. */
export interface FilterTests {
  /** It is exactly that. */
  readonly is: string;
  /** That stands in it, whatever the case. */
  readonly contains: string;
  /** It is that folder, or one below it. */
  readonly within: string;
  /** It is at least, or at most, that many. */
  readonly least: number;
  readonly most: number;
  /** All of those are among it. */
  readonly all: readonly string[];
  /** It is so, or it is not. */
  readonly yes: boolean;
}

interface FilterSpec {
  /** The fact that is looked at; see `FactsToFilter`. */
  readonly fact: keyof FactsToFilter;
  readonly test: keyof FilterTests;
  /** The option of the command line, with what stands for its value. */
  readonly option: `--${string}`;
  /** What it means, for the help and for the description of the API. */
  readonly about: string;
  /** The value is a folder, which a shell gives relative or with a slash at its end. */
  readonly folder?: true;
}

type WordsToFilter = { readonly [F in WordFact]?: string | undefined };

/** What can be asked of a session. What is not known of one is absent, and never matches. */
export interface FactsToFilter extends WordsToFilter {
  readonly source: string;
  readonly messages: number;
  readonly title?: string | undefined;
  readonly endReason?: string | undefined;
  readonly tokens?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly tags: readonly string[];
  readonly pinned: boolean;
}

/**
 * By what sessions can be chosen, wherever they are: lists, exports, removals, plans, the API. This is the one place that says so;
 * options, queries, documents, conditions in SQL and the test in memory are made from it.
 */
export const SESSION_FILTERS = {
  source: {
    fact: 'source',
    test: 'is',
    option: '--source <source>',
    about: 'only sessions from this source, such as cli, telegram or cron',
  },
  minMessages: {
    fact: 'messages',
    test: 'least',
    option: '--min-messages <n>',
    about: 'only sessions with at least this many messages',
  },
  maxMessages: {
    fact: 'messages',
    test: 'most',
    option: '--max-messages <n>',
    about: 'only sessions with at most this many messages; what was printed counts too',
  },
  title: {
    fact: 'title',
    test: 'contains',
    option: '--title <text>',
    about: 'only sessions with this in their title',
  },
  workdir: {
    fact: 'workdir',
    test: 'is',
    option: '--workdir <dir>',
    about: 'only sessions that worked in this directory',
    folder: true,
  },
  project: {
    fact: 'workdir',
    test: 'within',
    option: '--project <dir>',
    about: 'only sessions that worked in this directory or below it',
    folder: true,
  },
  model: { fact: 'model', test: 'is', option: '--model <model>', about: 'only sessions with this model' },
  tags: { fact: 'tags', test: 'all', option: '--tag <tag>', about: 'only sessions with this tag; may be repeated' },
  pinned: { fact: 'pinned', test: 'yes', option: '--pinned', about: 'only sessions that are pinned' },
  endedBy: {
    fact: 'endReason',
    test: 'is',
    option: '--ended-by <reason>',
    about: 'only sessions that ended for this reason',
  },
  minTokens: {
    fact: 'tokens',
    test: 'least',
    option: '--min-tokens <n>',
    about: 'only sessions that used at least this many tokens',
  },
  maxTokens: {
    fact: 'tokens',
    test: 'most',
    option: '--max-tokens <n>',
    about: 'only sessions that used at most this many tokens',
  },
  minCostUsd: {
    fact: 'costUsd',
    test: 'least',
    option: '--min-cost <usd>',
    about: 'only sessions that cost at least this many US dollars',
  },
  maxCostUsd: {
    fact: 'costUsd',
    test: 'most',
    option: '--max-cost <usd>',
    about: 'only sessions that cost at most this many US dollars',
  },
  ...WORD_FILTERS,
} as const satisfies Readonly<Record<string, FilterSpec>>;

export type FilterName = keyof typeof SESSION_FILTERS;

/** What is given for a filter. */
export type FilterValue<Name extends FilterName> = FilterTests[(typeof SESSION_FILTERS)[Name]['test']];

/** Only sessions that all of it is true of. */
export type SessionFilter = { readonly [Name in FilterName]?: FilterValue<Name> };

/** What is given for each filter by what is given for its test: schemas, readers, makers of options. */
export function forEachFilter<Values extends Readonly<Record<keyof FilterTests, unknown>>>(values: Values) {
  const entries = FILTER_NAMES.map((name) => [name, values[SESSION_FILTERS[name].test]]);
  // The names are those of the table, and each has the value of its test.
  return Object.fromEntries(entries) as {
    readonly [Name in FilterName]: Values[(typeof SESSION_FILTERS)[Name]['test']];
  };
}

/** The names of all of them, in the order in which help shows them. */
export const FILTER_NAMES = Object.keys(SESSION_FILTERS) as readonly FilterName[];

/** One condition of a filter: the fact, the comparison, and what was given. */
export type FilterCondition = {
  [Test in keyof FilterTests]: {
    readonly fact: keyof FactsToFilter;
    readonly test: Test;
    readonly value: FilterTests[Test];
  };
}[keyof FilterTests];

/** What a filter asks, one condition after the other. */
export function conditionsOfFilter(filter: SessionFilter): readonly FilterCondition[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    const { fact, test } = SESSION_FILTERS[name];
    // The type of the value is that of its test, by the type of the filter.
    return value === undefined ? [] : [{ fact, test, value } as FilterCondition];
  });
}
