import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { IN_USE } from '../../core/sessions/in-use.ts';
import type { EpochMs } from '../../core/time.ts';
import type { SessionGuard } from '../../keeping/file-home/file-agent.ts';
import { readRegistry } from './claude-registry.ts';
import { doubtfulMs, isOpen } from './claude-sessions.ts';

/**
 * Asks once more who has sessions open, right before something is done to them. Claude Code has no lock that anybody could take: a
 * session that is opened afterwards is found to be gone, as it is when its user has removed it.
 */
export function guardClaude(home: string, now: EpochMs): SessionGuard {
  const registry = readRegistry(home);
  const since = now - doubtfulMs(registry);
  return {
    obstacle(session) {
      if (registry.problems[0] !== undefined) return registry.problems[0].message;
      if (isOpen(session, registry)) return 'Claude Code has it open.';
      const written = session.transcripts.some(({ path }) => changedAt(join(home, path)) > since);
      return written ? IN_USE.active : undefined;
    },
    [Symbol.dispose]: () => undefined,
  };
}

/** What is not there any more is for others to find out. */
function changedAt(path: string): EpochMs {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
