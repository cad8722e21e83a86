import type { LedgerGroup } from '../core/stores/ledger-book.ts';
import type { FilterName, FilterValue, SESSION_FILTERS } from '../core/sessions/session-filters.ts';
import type { SessionSort } from '../core/stores/session-reader.ts';
import type { UsageGroup } from '../core/stores/usage-book.ts';
import type { EpochMs } from '../core/time.ts';

/** Which homes a command is about, where it can be about several. */
export interface AgentOption {
  readonly agent?: string;
}

/** What the command line hands to each command: checked and converted, absent when it was not typed. */
export interface ListOptions extends FilterOptions {
  readonly archived?: boolean;
  readonly active?: boolean;
  readonly limit?: number;
  readonly since?: EpochMs;
  readonly before?: EpochMs;
  readonly sort?: SessionSort;
  readonly cursor?: string;
}

export interface LedgerOptions {
  readonly by?: LedgerGroup;
  readonly source?: string;
  readonly since?: EpochMs;
  readonly before?: EpochMs;
  readonly limit?: number;
}

export interface UsageOptions {
  readonly by?: UsageGroup;
  readonly since?: EpochMs;
  readonly before?: EpochMs;
  readonly limit?: number;
}

export interface ShowOptions {
  readonly messages?: number | 'all';
  readonly files?: boolean;
}

/** The arguments of `search` are the words as the shell split them: join them with a space. */
export interface IndexCommandOptions {
  readonly rebuild?: boolean;
  readonly drop?: boolean;
}

export interface SearchOptions {
  readonly source?: string;
  readonly since?: EpochMs;
  readonly limit?: number;
}

export const EXPORT_FORMATS = ['jsonl', 'md', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions extends FilterOptions {
  readonly all?: boolean;
  readonly since?: EpochMs;
  readonly format: ExportFormat;
  readonly out?: string;
  readonly redact?: boolean;
}

export interface ImportOptions {
  readonly from?: string;
  readonly source?: string;
}

export interface TagOptions {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

export interface EndOptions {
  readonly crashed?: boolean;
  readonly reason?: string;
}

export interface TailOptions {
  readonly messages?: number;
  readonly follow?: boolean;
}

export interface PlanOptions {
  readonly out?: string;
  readonly all?: boolean;
}

export interface ApplyOptions {
  readonly except?: readonly string[];
  readonly strict?: boolean;
  readonly yes?: boolean;
  readonly forGood?: boolean;
}

export interface UndoOptions {
  readonly yes?: boolean;
}

export interface TrashEmptyOptions {
  readonly expired?: boolean;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** For what a person asks for by hand. */
export interface ByHandOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** For what may skip the trash. */
  readonly forGood?: boolean;
}

export interface ClearCopiesOptions extends ByHandOptions {
  readonly olderThan?: EpochMs;
}

export interface DeleteOptions extends ByHandOptions, FilterOptions {
  readonly purge?: boolean;
}

/** What narrows down which sessions a command is about. */
export interface FilterOptions extends Filters {
  readonly olderThan?: EpochMs;
  readonly newerThan?: EpochMs;
}

/** Each filter under the name that its option gets on the command line: `minCost` for `--min-cost <usd>`. */
type Filters = {
  readonly [Name in FilterName as OptionKey<(typeof SESSION_FILTERS)[Name]['option']>]?: FilterValue<Name>;
};

export type OptionKey<Option extends string> = Option extends `--${infer Name} ${string}`
  ? Camel<Name>
  : Option extends `--${infer Name}`
    ? Camel<Name>
    : never;

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

export interface ArchiveOptions extends ByHandOptions, FilterOptions {}

export interface PruneOptions extends ByHandOptions, FilterOptions {
  readonly filesOnly?: boolean;
  readonly includeFiles?: boolean;
  readonly keepRows?: boolean;
}

export interface GcOptions extends ByHandOptions {
  readonly emptyHours?: number;
  readonly trivialDays?: number;
  readonly trivialMax?: number;
  readonly source?: string;
}

export interface ConfigShowOptions {
  readonly effective?: boolean;
}

export interface ConfigInitOptions {
  readonly force?: boolean;
}

export interface DoctorOptions {
  readonly repair?: boolean;
}

export interface MaintainOptions {
  readonly auto?: boolean;
  readonly allow?: boolean;
}

export interface ExpiringOptions {
  /** How far to look ahead. */
  readonly within?: number;
}

export interface HomesAddOptions {
  readonly name?: string;
}

/** For commands that take no options of their own. */
export type NoOptions = object;
