import type { ArchiveItem, Inventory, SessionItem, StrayItem, TrashItem } from '../../src/core/retention/inventory.ts';
import type { Policy, SessionRules } from '../../src/core/retention/policy.ts';
import { LIMIT_RULES, type LimitRule } from '../../src/core/retention/session-settings.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { NOW } from './clock.ts';

/** An ended session with something in it, last used a hundred days ago. */
export function aSession(id: string, given: Partial<SessionItem> = {}): SessionItem {
  const lastActiveAt = given.lastActiveAt ?? NOW - 100 * DAY_MS;
  return {
    kind: 'session',
    id,
    source: 'cli',
    startedAt: lastActiveAt,
    lastActiveAt,
    endedAt: lastActiveAt,
    messageCount: 40,
    pinned: false,
    tags: [],
    active: false,
    bytes: { rows: 100, transcript: 0, dumps: 0, other: 0 },
    fingerprint: `f-${id}`,
    ...given,
  };
}

/** A session that nobody ended. */
export function anOpenSession(id: string, given: Partial<SessionItem> = {}): SessionItem {
  const { endedAt: _, ...open } = aSession(id, given);
  return open;
}

export function aStray(kind: StrayItem['kind'], id: string, given: Partial<StrayItem> = {}): StrayItem {
  return { kind, id, lastActiveAt: NOW - 100 * DAY_MS, sizeBytes: 100, fingerprint: `f-${id}`, ...given };
}

export function aTrash(id: string, given: Partial<TrashItem> = {}): TrashItem {
  const removedAt = given.removedAt ?? NOW - 10 * DAY_MS;
  return {
    kind: 'trash',
    id,
    removedAt,
    expiresAt: removedAt + 7 * DAY_MS,
    itemCount: 1,
    sizeBytes: 100,
    fingerprint: `f-${id}`,
    ...given,
  };
}

export function anArchive(id: string, given: Partial<ArchiveItem> = {}): ArchiveItem {
  return {
    kind: 'archive',
    id,
    source: 'cli',
    archivedAt: NOW - 100 * DAY_MS,
    lastActiveAt: NOW - 200 * DAY_MS,
    pinned: false,
    tags: [],
    sizeBytes: 20,
    fingerprint: `f-${id}`,
    ...given,
  };
}

export function anInventory(given: Partial<Inventory> = {}): Inventory {
  return {
    home: { id: 'home', path: '/home' },
    scannedAt: NOW,
    sessions: [],
    strays: [],
    trash: [],
    archives: [],
    checkpoints: [],
    checkpointBytes: 0,
    problems: [],
    disk: { usedBytes: 0, freeBytes: 1e12 },
    doubts: [],
    ...given,
  };
}

/** Every limit switched off. */
export const NO_LIMITS = Object.fromEntries(LIMIT_RULES.map(({ rule }) => [rule, undefined])) as Record<
  LimitRule,
  undefined
>;

/** The usual rules: a day of least age, ninety days of retention, and no limit on size. */
export function aPolicy(sessions: Partial<SessionRules> = {}, given: Partial<Policy> = {}): Policy {
  return {
    sessions: {
      ...NO_LIMITS,
      minAgeMs: DAY_MS,
      abandonAfterMs: DAY_MS,
      retentionMs: 90 * DAY_MS,
      emptyMs: DAY_MS,
      trivialMs: 7 * DAY_MS,
      trivialMaxMessages: 5,
      keepLast: 1,
      keepTags: ['keep'],
      afterReset: undefined,
      ...sessions,
    },
    bySource: {},
    dumps: {},
    archive: {},
    checkpoints: {},
    disk: { forGood: true, lowWater: 0.85, bySource: {} },
    trash: {},
    guard: { maxItems: 50, maxPart: 0.2, noticeMs: 3 * DAY_MS },
    ...given,
  };
}
