import { join } from 'node:path';
import { sessionDirName, sessionShard } from '../../platform/files/session-dir-name.ts';

/** Where everything in a native home is. Session directories are named by an encoding of the id, never by the id itself. */
export interface NativeLayout {
  readonly root: string;
  readonly config: string;
  readonly database: string;
  readonly lock: string;
  /** Counters of live sessions, shared by all processes. */
  readonly live: string;
  /** Reserve that makes deletion possible on a full disk. */
  readonly ballast: string;
  readonly sessions: string;
  /** Bundles of archived sessions. */
  readonly archive: string;
  /** Saved plans, until they are applied or too old. */
  readonly plans: string;
  /** The token of whoever owns the home. */
  readonly token: string;
  /** Tokens that were given out, as hashes. */
  readonly tokens: string;
  /** Who changed what. */
  readonly audit: string;
  /** What a run removed, until it is purged. Run ids are generated, so they are safe as names. */
  trash(runId: string): string;
  /** Where a session's directory is below `sessions`, with `/` between the parts. */
  sessionPath(id: string): string;
  sessionDir(id: string): string;
  transcript(id: string): string;
  dumps(id: string): string;
}

export function nativeLayout(root: string): NativeLayout {
  const sessions = join(root, 'sessions');
  const sessionDir = (id: string) => join(sessions, sessionPath(id));
  return {
    root,
    config: join(root, 'config.yaml'),
    database: join(root, 'state.db'),
    lock: join(root, 'lock.db'),
    live: join(root, 'live.db'),
    ballast: join(root, 'ballast'),
    sessions,
    archive: join(root, 'archive'),
    plans: join(root, 'plans'),
    token: join(root, 'token'),
    tokens: join(root, 'tokens'),
    audit: join(root, 'audit'),
    trash: (runId) => join(root, 'trash', runId),
    sessionPath,
    sessionDir,
    transcript: (id) => join(sessionDir(id), TRANSCRIPT_NAME),
    dumps: (id) => join(sessionDir(id), DUMPS_NAME),
  };
}

export const TRANSCRIPT_NAME = 'transcript.jsonl';
export const DUMPS_NAME = 'dumps';

function sessionPath(id: string): string {
  return `${sessionShard(id)}/${sessionDirName(id)}`;
}
