import { fold, insideOf } from '../../../core/sessions/filter-match.ts';
import {
  conditionsOfFilter,
  type FactsToFilter,
  type FilterCondition,
  type FilterTests,
  type SessionFilter,
} from '../../../core/sessions/session-filters.ts';
import { ofEachFact, WORD_FACT_SPECS } from '../../../core/sessions/word-facts.ts';
import { FOLD } from '../database/fold-function.ts';
import { NANO } from '../../rows/session-rows.ts';

type Given = string | number;

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly Given[];
}

/** The same test as `filterMatch`, in SQL, so that a list of any length is narrowed down where it is stored. */
export function filterConditions(filter: SessionFilter): readonly SqlCondition[] {
  return conditionsOfFilter(filter).map((condition) => sqlOf(condition, FACT_SQL[condition.fact]));
}

/** What stands for each fact in a row. Those that a native home does not record are of no session. */
const FACT_SQL: Readonly<Record<keyof FactsToFilter, string>> = {
  source: 'source',
  messages: 'message_count',
  title: 'title',
  endReason: 'end_reason',
  tokens: '(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens)',
  costUsd: `(cost_nano_usd / ${NANO.toFixed(1)})`,
  ...ofEachFact((fact) => WORD_FACT_SPECS[fact].column ?? 'NULL'),
  tags: 'tags',
  pinned: 'pinned',
};

function sqlOf({ test, value }: FilterCondition, fact: string): SqlCondition {
  // A condition has the value of its test.
  const [sql, ...values] = (TESTS[test] as (fact: string, value: unknown) => TestSql)(fact, value);
  return { sql, values };
}

type TestSql = readonly [sql: string, ...values: readonly Given[]];

/** A limit that is not a number is bound as NULL, and matches nothing. */
const TESTS: { readonly [Test in keyof FilterTests]: (fact: string, value: FilterTests[Test]) => TestSql } = {
  is: (fact, value) => [`${fact} = ?`, value],
  // Written out, so that an index of those that are pinned could serve.
  yes: (fact, value) => [`${fact} = ${value ? 1 : 0}`],
  contains: (fact, part) => (part === '' ? ['0'] : [`instr(${FOLD}(${fact}), ?) > 0`, fold(part)]),
  within: (fact, outer) =>
    outer === '' ? ['0'] : [`(${fact} = ? OR (${fact} >= ? AND ${fact} < ?))`, outer, ...below(outer)],
  least: (fact, least) => [`${fact} >= ?`, least],
  most: (fact, most) => [`${fact} <= ?`, most],
  all: (fact, wanted) => [
    ['1', ...wanted.map(() => `EXISTS (SELECT 1 FROM json_each(${fact}) WHERE value = ?)`)].join(' AND '),
    ...wanted,
  ],
};

/** From where to where everything below a folder sorts: `0` is what comes after `/`. */
function below(folder: string): [string, string] {
  const inside = insideOf(folder);
  return [inside, `${inside.slice(0, -1)}0`];
}
