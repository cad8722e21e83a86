import { join } from 'node:path';
import { sessionDirName, sessionShard } from '../../platform/session-dir-name.ts';

/** Where everything in a native home is. Session directories are named by an encoding of the id, never by the id itself. */
export interface NativeLayout {
  readonly root: string;
  readonly config: string;
  readonly database: string;
  readonly sessions: string;
  sessionDir(id: string): string;
  transcript(id: string): string;
  dumps(id: string): string;
}

export function nativeLayout(root: string): NativeLayout {
  const sessions = join(root, 'sessions');
  const sessionDir = (id: string) => join(sessions, sessionShard(id), sessionDirName(id));
  return {
    root,
    config: join(root, 'config.yaml'),
    database: join(root, 'state.db'),
    sessions,
    sessionDir,
    transcript: (id) => join(sessionDir(id), TRANSCRIPT_NAME),
    dumps: (id) => join(sessionDir(id), DUMPS_NAME),
  };
}

export const TRANSCRIPT_NAME = 'transcript.jsonl';
export const DUMPS_NAME = 'dumps';
