import type { CheckpointDiffOptions } from '../checkpoints/restore/diff-checkpoints.ts';
import type { Plan } from '../core/retention/plan.ts';
import type { OpenedHome } from '../homes/home-kind.ts';
import type { Audit } from './access/audit.ts';
import type { Checkpoints } from './checkpoints/checkpoints.ts';
import type { Config } from './config/config-schema.ts';
import type { ShownCheckpoint } from './documents/checkpoint-document.ts';
import type { ShownDiff } from './documents/restore-document.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { GatewaySession } from './gateway/gateway-session.ts';
import type { ResolveRequest } from './gateway/live-gateway.ts';
import type { Scheduler } from './gateway/scheduler.ts';
import type { Home } from './home.ts';
import type { Ledger } from './ledger.ts';
import type { Retention } from './retention/retention.ts';
import type { Session } from './sessions/session.ts';
import type { SessionFile } from './sessions/session-files.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { HomeUsage } from './usage/home-usage.ts';

export type { CheckpointDiffOptions } from '../checkpoints/restore/diff-checkpoints.ts';
export type {
  CheckpointRestoreOptions,
  CheckpointRestorePreview,
  CheckpointRestoreResult,
} from '../checkpoints/restore-checkpoint.ts';

/**
 * What can be done with a home wherever it is. `Home` is one on this machine; a remote one asks a daemon for the same things.
 * Commands use no more than this, so that they work on both.
 */
export interface App
  extends Pick<
    Home,
    | 'path'
    | 'configuration'
    | 'status'
    | 'explain'
    | 'plan'
    | 'apply'
    | 'undo'
    | 'check'
    | 'repair'
    | 'maintainInBackground'
  > {
  /** Where plans are kept; absent when the home is behind a daemon, which keeps them itself. */
  readonly plansHome?: string;
  /** A plan that the daemon keeps. */
  readonly savedPlan?: (id: string) => Promise<Plan>;
  /** Set for a home that another agent writes. */
  readonly foreign?: Pick<OpenedHome, 'agent'> | undefined;
  readonly config: { readonly trash: Pick<Config['trash'], 'grace_days'>; readonly homes?: Config['homes'] };
  /** Only of a home on this machine. */
  readonly outlook?: Home['outlook'];
  readonly sessions: AppSessions;
  readonly gateway: AppGateway;
  readonly ledger: Pick<Ledger, 'list' | 'totals'>;
  readonly usage: Pick<HomeUsage, 'totals'>;
  readonly audit: Pick<Audit, 'list'>;
  readonly checkpoints: AppCheckpoints;
  retention(): Promise<AppRetention>;
  scheduler(): Promise<AppScheduler>;
}

export interface AppSessions
  extends Pick<
    Sessions,
    | 'list'
    | 'page'
    | 'find'
    | 'shortIds'
    | 'get'
    | 'search'
    | 'archivedPrompts'
    | 'stats'
    | 'endCrashed'
    | 'export'
    | 'import'
    | 'importFrom'
  > {
  open(id: string): Promise<AppSession>;
}

export interface AppSession
  extends Pick<Session, 'messages' | 'follow' | 'usageByModel' | 'rename' | 'tag' | 'pin' | 'unpin' | 'end'> {
  files(): Promise<readonly SessionFile[]>;
}

export interface AppGateway extends Pick<Gateway, 'routes' | 'reset' | 'spend' | 'budgets' | 'correct'> {
  resolve(request: ResolveRequest): Promise<AppResolved>;
}

export interface AppResolved extends Pick<GatewaySession, 'facts' | 'resolution'> {
  readonly session: Pick<Session, 'release'>;
}

export interface AppCheckpoints
  extends Pick<
    Checkpoints,
    'take' | 'list' | 'diffText' | 'restore' | 'previewRestore' | 'pin' | 'unpin' | 'status' | 'verify'
  > {
  show(id: string): Promise<ShownCheckpoint>;
  diff(id: string, options?: CheckpointDiffOptions): Promise<ShownDiff>;
}

export type AppRetention = Pick<
  Retention,
  | 'recover'
  | 'runs'
  | 'items'
  | 'plan'
  | 'narrow'
  | 'restore'
  | 'emptyTrash'
  | 'emptyExpired'
  | 'reclaimCheckpoints'
  | 'maintain'
  | 'hold'
>;

export type AppScheduler = Pick<Scheduler, 'jobs' | 'next' | 'lastRuns' | 'run' | 'remove'>;

/** A home behind a daemon. */
export type RemoteApp = App & Disposable;
