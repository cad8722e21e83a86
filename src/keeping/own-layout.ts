import { join } from 'node:path';

/** Where everything is that Coppice keeps for itself in a home, whoever writes the sessions of that home. */
export interface OwnLayout {
  readonly root: string;
  readonly config: string;
  readonly database: string;
  readonly lock: string;
  /** Counters of live sessions, shared by all processes. */
  readonly live: string;
  /** What was ever used, by all agents; in Coppice's own home alone. */
  readonly usage: string;
  /** The index over what is said in homes of other agents; in Coppice's own home alone. */
  readonly search: string;
  /** Reserve that makes deletion possible on a full disk. */
  readonly ballast: string;
  /** Bundles of archived sessions. */
  readonly archive: string;
  /** Saved plans, until they are applied or too old. */
  readonly plans: string;
  /** The store of saved working directories. */
  readonly checkpoints: string;
  /** The token of whoever owns the home. */
  readonly token: string;
  /** Tokens that were given out, as hashes. */
  readonly tokens: string;
  /** The key that browsers are signed in with. */
  readonly pageKey: string;
  /** Who changed what. */
  readonly audit: string;
  /** What a run removed, until it is purged. Run ids are generated, so they are safe as names. */
  trash(runId: string): string;
}

export function ownLayout(root: string): OwnLayout {
  return {
    root,
    config: join(root, 'config.yaml'),
    database: join(root, 'state.db'),
    lock: join(root, 'lock.db'),
    live: join(root, 'live.db'),
    usage: join(root, 'usage.db'),
    search: join(root, 'search.db'),
    ballast: join(root, 'ballast'),
    archive: join(root, 'archive'),
    plans: join(root, 'plans'),
    checkpoints: join(root, 'checkpoints'),
    token: join(root, 'token'),
    tokens: join(root, 'tokens'),
    pageKey: join(root, 'page.key'),
    audit: join(root, 'audit'),
    trash: (runId) => join(root, 'trash', runId),
  };
}

/** Where Coppice keeps its own records about a home that another agent writes. */
export function companionPath(home: string): string {
  return join(home, '.coppice');
}
