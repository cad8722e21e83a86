import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IN_USE } from '../../core/sessions/in-use.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import { readFingerprint } from '../../core/stores/session-trash.ts';
import { isWritableFolder } from '../../platform/files/is-writable-folder.ts';
import type { FoundSession, SessionGuard } from './file-agent.ts';
import type { FileHomePlace, LookedHome } from './look-at-home.ts';
import { fileFingerprint, piecesOf, type SessionPiece } from './session-pieces.ts';

export const CHANGED = 'It has changed since the plan was made.';

export interface ObstacleFacts {
  readonly place: FileHomePlace;
  readonly look: LookedHome;
  readonly guard: SessionGuard;
  /** As the plan has it. */
  readonly fingerprint: string;
}

/** Why a session must stay as it is, whatever a plan says. Asked inside the step that would take it. */
export function sessionObstacle(session: FoundSession, facts: ObstacleFacts): string | undefined {
  const { place, look, guard, fingerprint } = facts;
  if (look.sorted.doubts.length > 0) return 'Which sessions are in use cannot be told at the moment.';
  if (session.unreadable === true) return 'It could not be read in full.';
  if (session.active) return IN_USE.active;
  if (session.hold !== undefined) return heldBy(session.hold);
  if (session.pinned === true) return 'It is pinned.';
  if (fileFingerprint(session) !== readFingerprint(fingerprint).own) return CHANGED;
  return guard.obstacle(session) ?? fileObstacle(place.home, piecesOf(session));
}

/** Why nobody but its agent takes it away, as a sentence. */
export function heldBy(hold: SessionHold): string {
  if (hold.kind === 'through-owner') return `Only its agent can remove it: ${hold.command}`.replace(/([^.])$/, '$1.');
  if (hold.kind === 'referenced') return `The session ${hold.by} needs it.`;
  return 'Only its agent knows all that belongs to it.';
}

/** Why files cannot be moved, before anything of them is touched. */
export function fileObstacle(
  home: string,
  pieces: readonly Pick<SessionPiece, 'path' | 'files' | 'linked'>[],
): string | undefined {
  const owner = lstatSync(home).uid;
  for (const { path, files, linked = false } of pieces) {
    const above = dirname(join(home, path));
    if (!isWritableFolder(above))
      return `The folder ${dirname(path)} may not be written, so nothing in it can be moved.`;
    for (const file of files) {
      if (file.linkCount > 1 && !linked)
        return `Its file ${file.path} has other names, so it is not only ours to move.`;
      const stat = lstatSync(join(home, file.path), { throwIfNoEntry: false });
      if (stat !== undefined && stat.uid !== owner)
        return `Its file ${file.path} belongs to another user than the home does.`;
    }
  }
  return undefined;
}
