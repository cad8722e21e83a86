/** A fact about a session that is a word or two, and means nothing to Coppice itself. */
interface WordFactSpec {
  /** The column of our own store that keeps it, from the start or the import of a session on. Absent for what only other agents record. */
  readonly column?: string;
  /** The title of its column in lists, which is shown where a session has it and there is room. */
  readonly listed?: string;
  /** The filter by it, which asks whether it is exactly that. Absent where `session-filters.ts` says more. */
  readonly filter?: {
    readonly option: `--${string}`;
    readonly about: string;
    /** What is not recorded where it is not: "It is not recorded in this home …". */
    readonly unrecorded: string;
  };
}

/**
 * The facts about sessions that are words, each said once and in the order of documents. Types, rows, documents, exports and imports, filters with
 * their options and words, and columns of lists are made of this. What our own store keeps needs its column besides, by a migration.
 */
const SPECS = {
  model: { column: 'model' },
  workdir: { column: 'workdir' },
  provider: {
    filter: {
      option: '--provider <name>',
      about: 'only sessions billed by this provider, where that is recorded',
      unrecorded: 'which provider a session used',
    },
  },
  user: {
    filter: {
      option: '--user <id>',
      about: 'only sessions of this user, where that is recorded',
      unrecorded: 'which user a session belongs to',
    },
  },
  chat: {
    filter: {
      option: '--chat <id>',
      about: 'only sessions of this chat, where that is recorded',
      unrecorded: 'which chat a session belongs to',
    },
  },
  branch: {
    filter: {
      option: '--branch <name>',
      about: 'only sessions that worked on this git branch, where that is recorded',
      unrecorded: 'on which branch a session worked',
    },
  },
} as const satisfies Readonly<Record<string, WordFactSpec>>;

export type WordFact = keyof typeof SPECS;
type FactWith<Spec> = { [F in WordFact]: (typeof SPECS)[F] extends Spec ? F : never }[WordFact];
/** What our own store keeps. */
export type KeptFact = FactWith<{ readonly column: string }>;
/** What not every home records, and sessions can be chosen by. */
export type FilteredFact = FactWith<{ readonly filter: object }>;

/** Absent where a home does not record them. */
export type WordFacts = { readonly [F in WordFact]?: string };
export type KeptFacts = { readonly [F in KeptFact]?: string };

export const WORD_FACT_SPECS: Readonly<Record<WordFact, WordFactSpec>> = SPECS;
export const WORD_FACTS = Object.keys(SPECS) as readonly WordFact[];
/** With the column of each. */
export const KEPT_FACTS = WORD_FACTS.filter(isKept).map((fact) => ({ fact, column: SPECS[fact].column }));
export const FILTERED_FACTS = WORD_FACTS.filter(isFiltered);

/** A value for each of these facts, by its name. */
export function ofEachFact<Value>(valueOf: (fact: WordFact) => Value): Record<WordFact, Value> {
  return ofEach(WORD_FACTS, valueOf);
}

export function ofEachKeptFact<Value>(valueOf: (fact: KeptFact) => Value): Record<KeptFact, Value> {
  return ofEach(
    KEPT_FACTS.map(({ fact }) => fact),
    valueOf,
  );
}

export function ofEachFilteredFact<Value>(
  valueOf: (filter: NonNullable<WordFactSpec['filter']>, fact: FilteredFact) => Value,
): Record<FilteredFact, Value> {
  return ofEach(FILTERED_FACTS, (fact) => valueOf(SPECS[fact].filter, fact));
}

/** The filters by each, as `session-filters.ts` has them. */
export const WORD_FILTERS = ofEachFilteredFact(({ option, about }, fact) => {
  return { fact, test: 'is', option, about };
}) as {
  readonly [F in FilteredFact]: {
    readonly fact: F;
    readonly test: 'is';
    readonly option: (typeof SPECS)[F]['filter']['option'];
    readonly about: string;
  };
};

function ofEach<F extends WordFact, Value>(facts: readonly F[], valueOf: (fact: F) => Value): Record<F, Value> {
  return Object.fromEntries(facts.map((fact) => [fact, valueOf(fact)])) as Record<F, Value>;
}

function isKept(fact: WordFact): fact is KeptFact {
  return 'column' in SPECS[fact];
}

function isFiltered(fact: WordFact): fact is FilteredFact {
  return 'filter' in SPECS[fact];
}
