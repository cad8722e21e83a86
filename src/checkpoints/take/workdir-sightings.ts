import { dirname } from 'node:path';
import { SECOND_LOOK_MS, type WorkdirPlace } from '../../core/retention/checkpoint.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FileId } from '../store/project-book.ts';
import { fileId, lookForWorkdir, sameFile } from '../project/locate-workdir.ts';

/** What unattended passes remember of a working directory. */
export interface Sighting {
  /** The directory that held it, or that lacks it. */
  readonly parent: FileId;
  /** The working directory itself; absent where no pass has ever seen it there. */
  readonly self?: FileId;
  /** Since when every pass has seen that directory without it. */
  readonly goneAt?: EpochMs;
}

/** What one look shows, and who the two directories are. */
export type Look =
  | { readonly place: 'present'; readonly parent: FileId; readonly self: FileId }
  | { readonly place: 'missing'; readonly parent: FileId }
  | { readonly place: 'unreachable' };

/** What is known from elsewhere, such as the record of a take. */
export interface KnownFacts {
  readonly parent?: FileId | undefined;
  readonly self?: FileId | undefined;
}

export function lookAtWorkdir(workdir: string): Look {
  const look = lookForWorkdir(workdir);
  if (look.place === 'missing') return look;
  if (look.place === 'unreachable') return { place: 'unreachable' };
  try {
    return { place: 'present', parent: fileId(dirname(workdir)), self: fileId(workdir) };
  } catch {
    // It went between the two looks.
    return { place: 'unreachable' };
  }
}

/**
 * What to remember after a look. That a folder is missing counts from the first look that shows it, and starts anew with every
 * look that shows anything else: that it is there, that the directory above is another one, or that nothing can be told.
 */
export function nextSighting(before: Sighting | undefined, look: Look, now: EpochMs): Sighting | undefined {
  if (look.place === 'present') return { parent: look.parent, self: look.self };
  const there = before?.self && { parent: before.parent, self: before.self };
  if (look.place === 'unreachable') return there;
  if (before === undefined) return { parent: look.parent, goneAt: now };
  if (!sameFile(before.parent, look.parent)) return there ?? { parent: look.parent, goneAt: now };
  // A time in the future is that of a clock that was wrong.
  const { goneAt = now } = before;
  return { ...before, goneAt: Math.min(goneAt, now) };
}

/**
 * Where a working directory is, by what is known of it and by what passes remember. Where neither ever saw it there, it takes
 * two looks a day apart at the same directory without it, in a place where no volume is likely to be mounted.
 */
export function placeBySightings({ workdir, facts, sighting, now }: PlaceRequest): Place {
  const look = lookForWorkdir(workdir);
  const place = look.place === 'missing' ? judge(look.parent, { workdir, facts, sighting, now }) : look.place;
  const { goneAt } = sighting ?? {};
  return { place, ...(place === 'gone' && goneAt !== undefined && { seenGoneAt: goneAt }) };
}

export interface PlaceRequest {
  readonly workdir: string;
  readonly facts: KnownFacts;
  readonly sighting: Sighting | undefined;
  readonly now: EpochMs;
}

export interface Place {
  readonly place: WorkdirPlace;
  /** Since when passes have seen nothing else. */
  readonly seenGoneAt?: EpochMs;
}

function judge(above: FileId, { workdir, facts, sighting, now }: PlaceRequest): WorkdirPlace {
  const { parent = sighting?.parent, self = sighting?.self } = facts;
  if (parent === undefined || !sameFile(parent, above)) return 'unreachable';
  const everSeen = facts.parent !== undefined || sighting?.self !== undefined;
  if (everSeen) return (self ?? parent).dev === parent.dev ? 'gone' : 'unreachable';
  const { goneAt } = sighting ?? {};
  const twice = goneAt !== undefined && now - goneAt >= SECOND_LOOK_MS;
  return twice && !MOUNTED_BELOW.test(workdir) ? 'gone' : 'unreachable';
}

/** Where volumes come and go, and their folders with them. */
const MOUNTED_BELOW = /^\/(media|mnt|run\/media|Volumes|net|misc|autofs)\//;
