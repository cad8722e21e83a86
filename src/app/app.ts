import type { Plan } from '../core/plan.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { GatewaySession } from './gateway/gateway-session.ts';
import type { ResolveRequest } from './gateway/live-gateway.ts';
import type { Scheduler } from './gateway/scheduler.ts';
import type { Home } from './home.ts';
import type { Retention } from './retention.ts';
import type { Session } from './sessions/session.ts';
import type { Sessions } from './sessions/sessions.ts';

/**
 * What can be done with a home wherever it is. `Home` is one on this machine; a remote one asks a daemon for the same things.
 * Commands that need no more than this work on both.
 */
export interface App extends Pick<Home, 'plan' | 'apply' | 'undo'> {
  /** Where plans are kept; absent when the home is behind a daemon, which keeps them itself. */
  readonly plansHome?: string;
  /** A plan that the daemon keeps. */
  readonly savedPlan?: (id: string) => Promise<Plan>;
  readonly config: { readonly trash: Pick<Home['config']['trash'], 'grace_days'> };
  readonly sessions: Pick<Sessions, 'list' | 'find' | 'get' | 'search' | 'archivedPrompts'> & {
    open(id: string): Promise<AppSession>;
  };
  readonly gateway: Pick<Gateway, 'routes' | 'reset' | 'spend'> & {
    resolve(request: ResolveRequest): Promise<AppResolved>;
  };
  retention(): Promise<Pick<Retention, 'runs' | 'items' | 'plan'>>;
  scheduler(): Promise<Pick<Scheduler, 'jobs' | 'next' | 'lastRuns'>>;
}

export type AppSession = Pick<Session, 'messages' | 'follow' | 'usageByModel' | 'files'>;

export interface AppResolved extends Pick<GatewaySession, 'facts' | 'resolution'> {
  readonly session: Pick<Session, 'release'>;
}

/** A home behind a daemon. */
export type RemoteApp = App & Disposable;
