import { boundText, readText } from './bound-text.ts';

export type Value = string | number | boolean | null | undefined | readonly (string | number | null)[];

/**
 * Asks one server, inside a transaction or not. Statements are written with `?` for each value, as for the embedded store, and with
 * `:space` for the home they are about.
 */
export interface Sql {
  all<Row>(text: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  get<Row>(text: string, ...values: readonly Value[]): Promise<Row | undefined>;
  /** How many rows were changed. */
  run(text: string, ...values: readonly Value[]): Promise<number>;
  /** The number of the home. */
  readonly space: number;
}

/** What of the driver is used: a client of `pg`, or whatever does the same. */
export interface SqlClient {
  query(config: StatementConfig): Promise<StatementResult>;
  release(broken?: Error | boolean): void;
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
}

export interface SqlPool {
  connect(): Promise<SqlClient>;
  end(): Promise<void>;
}

export interface StatementConfig {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
  readonly types?: { readonly getTypeParser: (type: number) => (text: string) => unknown };
}

export interface StatementResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/** A statement as the driver takes it. What a server is asked for is the same whoever made the pool: the types are read here. */
export function statementOf(text: string, values: readonly Value[]): StatementConfig {
  return { text, values: values.map(bound), types: TYPES };
}

/** Statements with their values numbered and their home named, each put together once. */
export function numbering(space: number): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let numbered = known.get(text);
    if (numbered === undefined) {
      let count = 0;
      numbered = text.replaceAll(':space', String(space)).replace(/\?/g, () => `$${(count += 1)}`);
      known.set(text, numbered);
    }
    return numbered;
  };
}

/** A number that is none is nothing, which matches nothing. */
function bound(value: Value): unknown {
  if (typeof value === 'string') return boundText(value);
  if (typeof value === 'number') return Number.isNaN(value) ? null : value;
  if (Array.isArray(value)) return value.map((each: string | number | null) => bound(each));
  return value ?? null;
}

const INT8 = 20;
const INT4 = 23;
const INT2 = 21;
const FLOAT8 = 701;
const BOOL = 16;

/** Whole numbers here are counts, sizes and instants, which every program can read. */
const TYPES = {
  getTypeParser: (type: number) => {
    if (type === INT8 || type === INT4 || type === INT2 || type === FLOAT8) return Number;
    if (type === BOOL) return (text: string) => text === 't';
    return readText;
  },
};
