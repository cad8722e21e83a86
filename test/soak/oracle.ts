import { join } from 'node:path';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../src/core/time.ts';
import { arrivedBytes, checkpointBound, daysThere, statedBound } from '../support/stated-bound.js';
import type { KnownSession, Machine } from './machine.ts';
import { diskUsage, type RawHome, type RawSession, readRaw, savedFile } from './raw-home.ts';

/** What is looked at every day. */
export const CHECKS = [
  'bound',
  'checkpoint-bound',
  'backlog',
  'held',
  'checkpoints-held',
  'grace',
  'undo',
  'trash-owner',
  'doctor',
  'figures',
] as const;
export type CheckName = (typeof CHECKS)[number];

export type Complain = (check: CheckName, sentence: string) => void;

/** Contents of so many sessions are read back each day; that all of them are there is looked at every day. */
const CONTENTS_READ = 40;

/** How large the home is, and how large it may be. */
export interface Measured {
  readonly usedBytes: number;
  readonly boundBytes: number;
}

/** Looks at the home with eyes of its own: SQLite, git and the file system. */
export function inspect(machine: Machine, complain: Complain): Measured {
  return readRaw(machine.path, (raw) => {
    lookForHeld(machine, raw, complain);
    lookForGraced(machine, raw, complain);
    lookForBacklog(machine, raw, complain);
    lookForOldTrash(machine, raw, complain);
    lookForFolders(machine, complain);
    return measure(machine, raw, complain);
  });
}

function lookForHeld(machine: Machine, raw: RawHome, complain: Complain): void {
  const held = [...machine.sessions.values()].filter((session) => whyHeld(machine, session) !== undefined);
  for (const session of held)
    if (!raw.live.has(session.id))
      complain('held', `${session.source} ${session.id} is gone, although it is ${whyHeld(machine, session)}`);
  for (let left = Math.min(CONTENTS_READ, held.length); left > 0; left -= 1) {
    const session = machine.pick(held);
    const row = raw.live.get(session.id);
    if (row !== undefined && !isWhole(session, row.key, raw))
      complain('held', `${session.source} ${session.id} is not as it was written`);
  }
}

/** Whether its messages are exactly those that were acknowledged. */
export function isWhole({ digest, messages }: KnownSession, key: number, raw: RawHome): boolean {
  const stored = raw.digest(key);
  return digest === undefined ? stored.messages >= messages : stored.messages === messages && stored.digest === digest;
}

/** Why a session may not be removed by anybody yet; undefined when it may. */
function whyHeld({ settings, latestPassAt, routes, now }: Machine, session: KnownSession): string | undefined {
  if (session.isGone) return undefined;
  if (session.pinned) return 'pinned';
  if (session.tagged) return 'tagged';
  const isOpen = session.endedAt === undefined;
  if (isOpen && [...routes.values()].includes(session.id)) return 'answering a route';
  const latest = Math.max(latestPassAt, now);
  const abandonedAt = session.lastActiveAt + settings.abandonDays * DAY_MS;
  if (isOpen && latest < abandonedAt) return 'open';
  const age = latest - (isOpen ? abandonedAt : session.lastActiveAt);
  if (age < settings.minAgeHours * HOUR_MS) return 'young';
  // Under a limit on the whole home, everything else may go.
  if (settings.capBytes !== undefined) return undefined;
  return age < lifeMs(settings, session) ? 'not expired' : undefined;
}

function lifeMs({ retentionDays, trivialDays }: Machine['settings'], { messages }: KnownSession): number {
  if (messages === 0) return DAY_MS;
  return (messages <= 5 ? Math.min(trivialDays, retentionDays) : retentionDays) * DAY_MS;
}

/** What was removed is in the trash until its time there is over. */
function lookForGraced(machine: Machine, raw: RawHome, complain: Complain): void {
  for (const session of machine.sessions.values()) {
    if (raw.live.has(session.id) || (session.isGone && session.trashedUntil === undefined)) {
      if (raw.live.has(session.id)) session.isGone = false;
      continue;
    }
    const found = raw.trashed.get(session.id);
    const until = found?.expiresAt ?? session.trashedUntil;
    const isOver = until !== undefined && until <= Math.max(machine.now, machine.latestPassAt, machine.latestWorkAt);
    if (found === undefined && !isOver && machine.settings.capBytes === undefined)
      complain('grace', `${session.source} ${session.id} is in no trash, although its time there is not over`);
    session.isGone = true;
    session.trashedUntil = found === undefined ? undefined : found.expiresAt;
  }
}

/** Passes that a thing which nobody holds can outlive: the one that announces it, the days of notice, and the one that takes it. */
function passesAllowed({ noticeDays, intervalDays }: Machine['settings']): number {
  return Math.ceil(noticeDays / intervalDays) + 3;
}

/** What expired is gone after a stated number of passes, however long the machine was off. */
function lookForBacklog(machine: Machine, raw: RawHome, complain: Complain): void {
  for (const id of newestOfGroups(raw)) {
    const session = machine.sessions.get(id);
    if (session !== undefined) session.newestAt = machine.now;
  }
  const late = [...raw.live.values()].filter((row) => {
    const session = machine.sessions.get(row.id);
    if (session === undefined || session.newestAt === machine.now) return false;
    return overduePasses(machine, session) > passesAllowed(machine.settings);
  });
  const [first] = late;
  if (first === undefined) return;
  const passes = passesAllowed(machine.settings);
  complain(
    'backlog',
    `${late.length} sessions are there although more than ${passes} passes could have removed them, such as ${first.source} ${first.id}`,
  );
}

/** How many passes have seen that it may go. */
function overduePasses(machine: Machine, session: KnownSession): number {
  const { settings, passes, doubtUntil } = machine;
  if (session.pinned || session.tagged || session.related) return 0;
  if (session.endedAt === undefined && [...machine.routes.values()].includes(session.id)) return 0;
  const { endedAt, letGoAt, lastActiveAt, newestAt } = session;
  // It ages from its close, and nobody closes what a living process has open.
  if (endedAt === undefined && letGoAt === undefined) return 0;
  const abandonMs = endedAt === undefined ? (settings.abandonDays + settings.intervalDays) * DAY_MS : 0;
  const expiredAt = Math.max(lastActiveAt, endedAt ?? letGoAt ?? 0) + abandonMs + settings.retentionDays * DAY_MS;
  const from = Math.max(expiredAt, newestAt);
  const counted = passes.filter((at) => at > from && at > doubtUntil);
  const [first = 0] = counted;
  // The notice is in days, and passes may come more often than that.
  return machine.now - first > (settings.noticeDays + 1) * DAY_MS ? counted.length : 0;
}

/** The newest conversation of each source and folder stays, whatever its age. */
function newestOfGroups({ live }: RawHome): ReadonlySet<string> {
  const newest = new Map<string, RawSession>();
  for (const session of live.values()) {
    if (session.messages <= 5) continue;
    const group = `${session.source} ${session.workdir ?? ''}`;
    if ((newest.get(group)?.lastActiveAt ?? -1) <= session.lastActiveAt) newest.set(group, session);
  }
  return new Set([...newest.values()].map(({ id }) => id));
}

/** Trash whose time is over has to go with the next change of the home, and there is one every day. */
function lookForOldTrash(machine: Machine, { trashRuns }: RawHome, complain: Complain): void {
  const due = machine.now - 2 * machine.settings.intervalDays * DAY_MS;
  const old = [...trashRuns].filter(([, until]) => until < due && due > machine.doubtUntil);
  const [first] = old;
  if (first !== undefined)
    complain('trash-owner', `${old.length} runs are in the trash although their time is over, such as ${first[0]}`);
}

/** The limit of checkpoints leaves room for as much as this part of it, whatever else they keep. */
const SURE_PART = 0.5;

/** The newest state of a folder that is there, and was worked in lately, is as it was saved, for as many as the limit has room for. */
function lookForFolders(machine: Machine, complain: Complain): void {
  const lastUsedFirst = machine.folders.toSorted((a, b) => (b.newest?.at ?? 0) - (a.newest?.at ?? 0));
  let room = machine.settings.checkpointBytes * SURE_PART;
  for (const { path, isThere, newest } of lastUsedFirst) {
    room -= newest?.bytes ?? 0;
    if (room < 0) return;
    if (!isThere || newest === undefined || isOld(machine, newest.at)) continue;
    if (savedFile(machine.path, newest.id, 'file-0') !== newest.digest)
      complain('checkpoints-held', `the newest checkpoint of ${path} is not as it was saved`);
  }
}

function isOld({ settings, latestPassAt, now }: Machine, at: EpochMs): boolean {
  return Math.max(latestPassAt, now) - at > settings.retentionDays * DAY_MS;
}

function measure(machine: Machine, raw: RawHome, complain: Complain): Measured {
  const { settings } = machine;
  const boundBytes = statedBound(settings, {
    // Days on which the machine was off bring nothing and remove nothing.
    arrived: machine.arrivedWithin(daysThere(settings)),
    heldBytes: heldBytes(machine, raw),
    sessionsEver: raw.ledger + raw.live.size,
  });
  const usedBytes = diskUsage(machine.path);
  if (usedBytes > boundBytes)
    complain('bound', `the home takes ${usedBytes} bytes, more than the ${boundBytes} that the settings say`);
  const saved = diskUsage(join(machine.path, 'checkpoints')) + diskUsage(join(machine.path, 'cache'));
  const most = checkpointBound(settings) + EMPTY_STORE_BYTES;
  if (saved > most)
    complain('checkpoint-bound', `checkpoints take ${saved} bytes, more than the ${most} that the settings say`);
  return { usedBytes, boundBytes };
}

/** A repository without a single checkpoint, its locks and books. */
const EMPTY_STORE_BYTES = 1024 * 1024;

/** What is held beyond its days, and the newest of each group. */
function heldBytes(machine: Machine, raw: RawHome): number {
  const newest = newestOfGroups(raw);
  const routed = new Set(machine.routes.values());
  const held = [...raw.live.values()].filter(({ id }) => {
    const session = machine.sessions.get(id);
    return (
      newest.has(id) ||
      routed.has(id) ||
      session?.pinned === true ||
      session?.tagged === true ||
      session?.related === true
    );
  });
  const contentBytes = held.reduce((sum, row) => sum + row.contentBytes, 0);
  const folders = held.filter(({ fileBytes }) => fileBytes > 0).length;
  return arrivedBytes({ sessions: held.length, folders, contentBytes });
}
