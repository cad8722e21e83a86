import { join } from 'node:path';
import { type OwnLayout, ownLayout } from '../../keeping/own-layout.ts';
import { sessionDirName, sessionShard } from '../../platform/files/session-dir-name.ts';

/** Where everything in a native home is. Session directories are named by an encoding of the id, never by the id itself. */
export interface NativeLayout extends OwnLayout {
  readonly sessions: string;
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
    ...ownLayout(root),
    sessions,
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
