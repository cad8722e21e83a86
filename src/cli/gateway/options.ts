import type { RunLimits } from '../../core/gateway/limits.ts';

/** What the command line hands to the commands of live sessions. */
export interface RunOptions extends RunLimits {
  readonly source?: string;
  readonly key?: string;
  readonly checkpoints?: boolean;
  readonly meter?: boolean;
  readonly requireUsage?: boolean;
  readonly eventsOnStdout?: boolean;
  readonly terminal?: boolean;
}

export interface RoutesOptions {
  readonly source?: string;
}

export interface ResolveOptions {
  readonly source?: string;
}

export interface CronAddOptions {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly workdir?: string;
  readonly missed?: 'run-once' | 'skip';
  readonly overlap?: 'skip' | 'parallel';
  readonly maxMinutes?: number;
  readonly toFile?: string;
  readonly toWebhook?: string;
  readonly toCommand?: string;
}

export interface CronNextOptions {
  readonly count?: number;
}

export const BUDGET_SCOPES = ['source', 'day', 'model', 'session'] as const;
export interface BudgetOptions {
  readonly by?: (typeof BUDGET_SCOPES)[number];
}

export interface ServeOptions {
  readonly port?: number;
  readonly socket?: string;
  readonly host?: string;
  readonly public?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly signOut?: boolean;
}

export interface OpenOptions {
  readonly port?: number;
  readonly print?: boolean;
}

export interface CorrectOptions {
  readonly tokens?: number;
  readonly usd?: number;
  readonly reason: string;
  readonly day?: string;
  readonly model?: string;
}
