import type { Sort } from '../core/session-store.ts';
import type { EpochMs } from '../core/time.ts';

/** What the command line hands to each command: checked and converted, absent when it was not typed. */
export interface ListOptions {
  readonly source?: string;
  readonly active?: boolean;
  readonly limit?: number;
  readonly since?: EpochMs;
  readonly before?: EpochMs;
  readonly sort?: Sort;
}

export interface ShowOptions {
  readonly messages?: number | 'all';
  readonly files?: boolean;
}

/** The arguments of `search` are the words as the shell split them: join them with a space. */
export interface SearchOptions {
  readonly source?: string;
  readonly limit?: number;
}

export const EXPORT_FORMATS = ['jsonl', 'md', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly out?: string;
  readonly redact?: boolean;
}

export interface TagOptions {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

export interface EndOptions {
  readonly reason?: string;
}

export interface TailOptions {
  readonly messages?: number;
  readonly follow?: boolean;
}

export interface ConfigShowOptions {
  readonly effective?: boolean;
}

export interface ConfigInitOptions {
  readonly force?: boolean;
}

/** For commands that take no options of their own. */
export type NoOptions = object;
