import fc from 'fast-check';
import type {
  ArchiveItem,
  Doubt,
  Inventory,
  SessionItem,
  StrayItem,
  TrashItem,
} from '../../src/core/retention/inventory.ts';
import { itemBytes } from '../../src/core/retention/inventory.ts';
import type { Decision, Plan, PlanRequest } from '../../src/core/retention/plan.ts';
import type { Policy, SessionRules } from '../../src/core/retention/policy.ts';
import { CHILD_KINDS } from '../../src/core/sessions/session.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { NOW } from './clock.ts';
import { anArchive, anInventory, anOpenSession, aPolicy, aStray, aTrash, NO_LIMITS } from './inventories.ts';

/** Ids that are prefixes of one another, look like patterns or paths, or differ in case only. */
export const IDS = ['a', 'ab', 'a_b', 'a_b_1', '*', 'a*', '../x', '..', 'A', 'é', 'constructor', '__proto__', ' ', 'z'];
const SOURCES = ['cli', 'cron', 'telegram', 'subagent'];
const DAYS = [0, 0.5, 1, 2, 6, 7, 8, 13, 14, 20, 30, 60, 89, 90, 91, 200];

/** One inventory with rules for it. */
export interface Scene {
  readonly inventory: Inventory;
  readonly policy: Policy;
}

/** With a few dozen properties, well over a hundred thousand cases in every run, and millions in a long one. */
const RUNS = process.env['COPPICE_TORTURE'] === '1' ? 40_000 : 2500;

/** Holds a property against many generated cases. */
export function always<T>(cases: fc.Arbitrary<T>, holds: (given: T) => void): void {
  fc.assert(fc.property(cases, holds), { numRuns: RUNS });
}

type Draw = ReturnType<typeof draws>;

/** Scenes of up to a dozen sessions with every mixture of facts. Numbers stand for items, so a failing scene shrinks fast. */
export const anyScene: fc.Arbitrary<Scene> = fc
  .record({
    sessions: fc.array(fc.nat(), { maxLength: 12 }),
    others: fc.array(fc.nat(), { maxLength: 5 }),
    policy: fc.nat(),
  })
  .map(({ sessions, others, policy }) => ({
    inventory: drawInventory(sessions, others),
    policy: drawPolicy(draws(policy)),
  }));

/** Scenes in which the home takes more than it may, or leaves too little free. */
export const anyTightScene: fc.Arbitrary<Scene> = fc
  .record({ scene: anyScene, cap: fc.nat(3000), overhead: fc.nat(300), code: fc.nat() })
  .map(({ scene, cap, overhead, code }) => {
    const { one, often } = draws(code);
    const { inventory, policy } = scene;
    const usedBytes = inventory.disk.usedBytes + overhead;
    const limit = often(0.7) ? { maxBytes: cap + 1 } : { minFreeBytes: cap + 1 };
    return {
      inventory: { ...inventory, disk: { usedBytes, freeBytes: one([0, 500, 2000]) } },
      policy: { ...policy, disk: { ...limit, forGood: true, lowWater: one([0.5, 0.85, 1]), bySource: {} } },
    };
  });

export const anyRequest: fc.Arbitrary<PlanRequest> = fc.nat().map((code) => drawRequest(draws(code)));
export const anyDoubts: fc.Arbitrary<readonly Doubt[]> = fc.subarray<Doubt>(['activity-unknown', 'clock-suspect']);

/** The policy without what depends on how many sessions there are, or how large. */
export function withoutCounts({ sessions, bySource, ...rest }: Policy): Policy {
  const off = { maxSessions: undefined };
  const sources = Object.entries(bySource).map(([source, rules]) => [source, { ...rules, ...off }] as const);
  return { ...rest, sessions: { ...sessions, ...off }, bySource: Object.fromEntries(sources) };
}

/** What a careful executor would leave behind: a plain model of it, for planning once more. */
export function afterPlan(inventory: Inventory, plan: Plan): Inventory {
  const fates = new Map(plan.decisions.map((decision) => [`${decision.item.kind}\0${decision.item.id}`, decision]));
  const fateOf = ({ kind, id }: { kind: string; id: string }) => fates.get(`${kind}\0${id}`)?.action ?? 'keep';
  const freed = plan.decisions.reduce((sum, decision) => sum + freedBytes(decision), 0);
  const trashed = plan.decisions.reduce((sum, decision) => sum + trashedBytes(decision), 0);
  const archived = inventory.sessions.filter((session) => fateOf(session) === 'archive');
  return {
    ...inventory,
    sessions: inventory.sessions
      .filter((session) => !['remove', 'archive'].includes(fateOf(session)))
      .map((session) => withoutFiles(session, fateOf(session))),
    strays: inventory.strays.filter((stray) => fateOf(stray) === 'keep'),
    trash: [
      ...inventory.trash.filter((trash) => fateOf(trash) === 'keep'),
      ...(trashed > 0 ? [aTrash('new run', { removedAt: plan.madeAt, sizeBytes: trashed })] : []),
    ],
    archives: [
      ...inventory.archives.filter((archive) => fateOf(archive) === 'keep'),
      ...archived.map((session) => anArchive(session.id, { ...pick(session), sizeBytes: itemBytes(session) / 5 })),
    ],
    disk: { usedBytes: inventory.disk.usedBytes - freed, freeBytes: inventory.disk.freeBytes + freed },
  };
}

/** The bytes that a decision gives back to the disk in its own run. */
export function freedBytes(decision: Decision): number {
  if (decision.action === 'keep') return 0;
  if (decision.action === 'archive') return (decision.sizeBytes / 5) * 4;
  return decision.action === 'purge' || decision.skipsTrash === true ? decision.sizeBytes : 0;
}

/** The bytes that are free once everything in the trash is gone as well, by a decision or because it was there before. */
export function freedLater(decision: Decision): number {
  if (decision.reason === 'in-grace' || (decision.item.kind === 'trash' && decision.reason === 'doubt'))
    return decision.sizeBytes;
  return decision.action === 'keep' || decision.action === 'archive' ? freedBytes(decision) : decision.sizeBytes;
}

/** Which sessions are one conversation, found by walking the links one by one. */
export function conversationOf(sessions: readonly SessionItem[], id: string): ReadonlySet<string> {
  const found = new Set([id]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const session of sessions) {
      if (session.childKind !== 'continuation' || session.parentId === undefined) continue;
      if (!sessions.some((other) => other.id === session.parentId)) continue;
      if (found.has(session.id)) found.add(session.parentId);
      if (found.has(session.parentId)) found.add(session.id);
    }
  }
  return found;
}

function trashedBytes(decision: Decision): number {
  if (decision.action === 'keep' || decision.action === 'archive' || decision.action === 'purge') return 0;
  return decision.skipsTrash === true ? 0 : decision.sizeBytes;
}

function withoutFiles(session: SessionItem, action: Decision['action']): SessionItem {
  if (action === 'drop-files') return { ...session, bytes: { ...session.bytes, transcript: 0, dumps: 0 } };
  return action === 'drop-dumps' ? { ...session, bytes: { ...session.bytes, dumps: 0 } } : session;
}

function pick({ source, lastActiveAt, pinned, tags }: SessionItem) {
  return { source, lastActiveAt, pinned, tags, archivedAt: NOW };
}

function drawInventory(sessionCodes: readonly number[], otherCodes: readonly number[]): Inventory {
  const sessions = sessionCodes.map((code, at) => drawSession(IDS[at] ?? '', draws(code)));
  const others = otherCodes.map((code, at) => drawOther(`other-${at}`, draws(code)));
  const usedBytes = [...sessions, ...others].reduce((sum, item) => sum + itemBytes(item), 0);
  return anInventory({
    sessions,
    strays: others.filter((item): item is StrayItem => item.kind === 'orphan' || item.kind === 'debris'),
    trash: others.filter((item): item is TrashItem => item.kind === 'trash'),
    archives: others.filter((item): item is ArchiveItem => item.kind === 'archive'),
    disk: { usedBytes, freeBytes: 1e12 },
  });
}

function drawSession(id: string, { one, often, upTo }: Draw): SessionItem {
  const lastActiveAt = drawTime({ one, often, upTo });
  const workdir = one([undefined, '/p', '/q']);
  const session = anOpenSession(id, {
    lastActiveAt,
    source: one(SOURCES),
    messageCount: one([0, 1, 5, 6, 40, 40, 40]),
    pinned: often(0.08),
    active: often(0.08),
    ...(often(0.08) && { routed: true }),
    tags: one([[], [], [], [], ['work'], ['keep'], ['work', 'keep']]),
    ...(workdir !== undefined && { workdir }),
    ...(often(0.05) && { unreadable: true }),
    ...(often(0.4) && { parentId: one([...IDS.slice(0, 12), 'nowhere']), childKind: one(CHILD_KINDS) }),
    ...(often(0.3) && { title: `Talk about ${one(['disks', 'trees'])}` }),
    bytes: {
      rows: 5 * upTo(40),
      transcript: often(0.5) ? 5 * upTo(80) : 0,
      dumps: often(0.4) ? 5 * upTo(80) : 0,
      other: often(0.1) ? 5 * upTo(20) : 0,
    },
  });
  // What a rule closed may have been old by then.
  const closedAt = Math.min(NOW, lastActiveAt + one([0, HOUR_MS, 30 * DAY_MS]));
  const ends: readonly Partial<SessionItem>[] = [
    ...['done', 'done', 'done', 'crash'].map((endReason) => ({ endedAt: lastActiveAt, endReason })),
    { endedAt: closedAt, endReason: 'abandoned' },
    { endedAt: closedAt, endReason: 'reset: idle', reset: true },
  ];
  return { ...session, ...(often(0.8) && one(ends)) };
}

function drawOther(id: string, { one, often, upTo }: Draw): StrayItem | TrashItem | ArchiveItem {
  const at = drawTime({ one, often, upTo });
  const sizeBytes = 5 * upTo(60);
  const kind = one(['orphan', 'debris', 'trash', 'trash', 'archive'] as const);
  if (kind === 'trash') return aTrash(id, { removedAt: at, sizeBytes });
  if (kind !== 'archive') return aStray(kind, often(0.7) ? `sessions/${id}` : id, { lastActiveAt: at, sizeBytes });
  const archive = { archivedAt: at, lastActiveAt: at - DAY_MS * upTo(50), source: one(SOURCES), sizeBytes };
  return anArchive(id, { ...archive, pinned: often(0.1), tags: one([[], [], ['keep']]) });
}

/** Often exactly at a limit, one millisecond to either side of it, or in the future. */
function drawTime({ one, often, upTo }: Draw): number {
  if (often(0.07)) return NOW + 1 + upTo(5 * DAY_MS);
  return NOW - one(DAYS) * DAY_MS + (often(0.3) ? one([-1, 0, 1]) - 1 : -upTo(20 * HOUR_MS));
}

function drawPolicy({ one, often }: Draw): Policy {
  const limit = () => (often(0.5) ? one([1, 2, 7, 14, 30, 60, 90]) * DAY_MS : undefined);
  const rules = (): SessionRules => ({
    ...NO_LIMITS,
    minAgeMs: one([0, HOUR_MS, DAY_MS, 7 * DAY_MS]),
    abandonAfterMs: one([HOUR_MS, DAY_MS, 7 * DAY_MS]),
    retentionMs: limit(),
    transcriptRetentionMs: limit(),
    archiveAfterMs: limit(),
    emptyMs: limit(),
    trivialMs: limit(),
    trivialMaxMessages: one([1, 5]),
    maxSessions: often(0.3) ? one([1, 2, 4]) : undefined,
    keepLast: one([1, 1, 2, 3, 'never' as const]),
    keepTags: one([[], ['keep'], ['keep', 'work']]),
    afterReset: one([undefined, undefined, 'drop-files', 'remove']),
  });
  return aPolicy(rules(), {
    bySource: often(0.5) ? { cron: rules(), cli: { retentionMs: limit() } } : {},
    dumps: { maxAgeMs: limit() },
    archive: { retentionMs: limit() },
  });
}

function drawRequest({ one, often }: Draw): PlanRequest {
  const filter = {
    ...(often(0.4) && { source: one(SOURCES) }),
    ...(often(0.2) && { maxMessages: one([0, 5, 40]) }),
    ...(often(0.2) && { title: one(['DISKS', 'talk', '']) }),
    ...(often(0.2) && { workdir: '/p' }),
    ...(often(0.1) && { endedBy: 'done' }),
  };
  const age = often(0.6) ? { before: NOW - one(DAYS) * DAY_MS } : {};
  const limits = {
    ...(often(0.6) && { emptyMs: one([HOUR_MS, DAY_MS]) }),
    ...(often(0.6) && { trivialMs: one([DAY_MS, 30 * DAY_MS]) }),
    ...(often(0.6) && { trivialMaxMessages: 5 }),
  };
  return one<PlanRequest>([
    { kind: 'policy' },
    { kind: 'delete', ids: IDS.filter(() => often(0.3)) },
    { kind: 'prune', filter, ...age, part: one(['all', 'files']) },
    { kind: 'gc', filter, ...limits },
    { kind: 'archive', filter, ...age },
  ]);
}

/** A stream of choices that depends on nothing but the code. */
function draws(code: number) {
  let state = (code ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (most: number) => Math.floor(next() * (most + 1));
  return {
    upTo,
    often: (part: number) => next() < part,
    one: <T>(values: readonly T[]): T => values.at(upTo(values.length - 1)) as T,
  };
}
