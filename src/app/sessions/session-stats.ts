import { statSync } from 'node:fs';
import type { Inventory, SessionItem } from '../../core/inventory.ts';
import type { Policy } from '../../core/policy.ts';
import { type SessionFacts, sessionBytes } from '../../core/session.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { type FileKind, nativeFiles } from '../../homes/native/native-files.ts';
import { sessionItem } from '../../homes/native/session-item.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import type { ForeignHome, HomeParts } from '../home-parts.ts';
import { policyFromConfig } from '../policy-from-config.ts';
import { activeQuery } from './active-sessions.ts';

export interface Amount {
  sessions: number;
  messages: number;
  sizeBytes: number;
}

export interface SourceAmount extends Amount {
  readonly source: string;
}

export interface AgeAmount extends Amount {
  /** Last active at most so many days ago; absent for everything older. */
  readonly maxDays?: number;
}

export interface FileAmount {
  /** In a home of another agent, the name of the sort as its driver gives it. */
  readonly kind: 'database' | FileKind | (string & {});
  files: number;
  sizeBytes: number;
}

export interface ExpiryAmount extends Amount {
  readonly rule: 'empty' | 'trivial' | 'retention';
}

/** What a home keeps, counted several ways. */
export interface SessionStats {
  readonly total: Amount;
  /** Largest first. */
  readonly bySource: readonly SourceAmount[];
  readonly byAge: readonly AgeAmount[];
  readonly byFileKind: readonly FileAmount[];
  /** What the configured rules would let go of, were they applied now. */
  readonly reclaimable: readonly ExpiryAmount[];
}

const AGE_LIMITS_DAYS = [1, 7, 30, 90, undefined];

export interface SessionStatsOptions {
  readonly signal?: AbortSignal;
  /** Told how many sessions and files were counted so far. */
  readonly onProgress?: (done: number) => void;
}

/** Counts everything in one pass over the sessions and one walk over the files. */
export async function sessionStats(
  parts: HomeParts,
  { signal, onProgress }: SessionStatsOptions = {},
): Promise<SessionStats> {
  const now = parts.clock.now();
  const count = createCount(now, policyFromConfig(parts.config));
  const active = await activeIds(parts);
  let done = 0;
  for await (const session of parts.store.list({ sort: 'stored' })) {
    signal?.throwIfAborted();
    count.add(session, active.has(session.id));
    onProgress?.((done += 1));
  }
  return {
    ...count.result(),
    byFileKind: countFiles(parts, () => {
      signal?.throwIfAborted();
      onProgress?.((done += 1));
    }),
  };
}

async function activeIds(parts: HomeParts): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { id } of parts.store.list({ active: await activeQuery(parts) })) ids.add(id);
  return ids;
}

function createCount(now: EpochMs, policy: Policy) {
  const total = nothing();
  const bySource = new Map<string, SourceAmount>();
  const byAge: AgeAmount[] = AGE_LIMITS_DAYS.map((days) => ({
    ...(days !== undefined && { maxDays: days }),
    ...nothing(),
  }));
  const items: SessionItem[] = [];

  const add = (session: SessionFacts, active: boolean) => {
    const source = bySource.get(session.source) ?? { source: session.source, ...nothing() };
    bySource.set(session.source, source);
    const age = byAge.find(({ maxDays }) => maxDays === undefined || now - session.lastActiveAt <= maxDays * DAY_MS);
    const size = { messages: session.messageCount, sizeBytes: sessionBytes(session) };
    for (const amount of [total, source, age]) if (amount !== undefined) addTo(amount, size);
    const { contentBytes: rows, transcriptBytes: transcript, dumpBytes: dumps } = session;
    // No fingerprint, since nothing is carried out.
    items.push(sessionItem(session, { active, bytes: { rows, transcript, dumps, other: 0 }, fingerprint: '' }));
  };
  const result = () => ({
    total,
    bySource: [...bySource.values()].toSorted((a, b) => b.sizeBytes - a.sizeBytes),
    byAge,
    reclaimable: countReclaimable(items, policy, now),
  });
  return { add, result };
}

/** Asks the planner itself, so that these numbers and a plan never disagree. Limits of size are left out here. */
function countReclaimable(sessions: readonly SessionItem[], policy: Policy, now: EpochMs): ExpiryAmount[] {
  const amounts = (['empty', 'trivial', 'retention'] as const).map((rule) => ({ rule, ...nothing() }));
  const messages = new Map(sessions.map(({ id, messageCount }) => [id, messageCount]));
  const plan = planRetention(inventoryOf(sessions, now), { policy: { ...policy, disk: NO_DISK_RULES }, now });
  for (const { item, reason, sizeBytes } of plan.decisions) {
    const amount = amounts.find(({ rule }) => rule === reason);
    if (amount !== undefined) addTo(amount, { messages: messages.get(item.id) ?? 0, sizeBytes });
  }
  return amounts;
}

const NO_DISK_RULES: Policy['disk'] = { lowWater: 1, bySource: {} };

function inventoryOf(sessions: readonly SessionItem[], now: EpochMs): Inventory {
  const nothingElse = {
    strays: [],
    trash: [],
    archives: [],
    checkpoints: [],
    checkpointBytes: 0,
    problems: [],
    doubts: [],
  };
  const disk = { usedBytes: 0, freeBytes: 0 };
  return { home: { id: '', path: '' }, scannedAt: now, sessions, disk, ...nothingElse };
}

function nothing(): Amount {
  return { sessions: 0, messages: 0, sizeBytes: 0 };
}

function addTo(amount: Amount, size: { readonly messages: number; readonly sizeBytes: number }): void {
  amount.sessions += 1;
  amount.messages += size.messages;
  amount.sizeBytes += size.sizeBytes;
}

function countFiles({ layout, foreign }: HomeParts, onFile: () => void): FileAmount[] {
  if (foreign !== undefined) return foreignFiles(foreign);
  const amounts = new Map<FileAmount['kind'], FileAmount>();
  const add = (kind: FileAmount['kind'], sizeBytes: number) => {
    const amount = amounts.get(kind) ?? { kind, files: 0, sizeBytes: 0 };
    amounts.set(kind, amount);
    amount.files += 1;
    amount.sizeBytes += sizeBytes;
  };
  for (const suffix of ['', '-wal', '-shm']) {
    const stat = statSync(layout.database + suffix, { throwIfNoEntry: false });
    if (stat !== undefined) add('database', stat.size);
  }
  for (const file of nativeFiles(layout)) {
    onFile();
    if ('sizeBytes' in file) add(file.kind, file.sizeBytes);
  }
  return [...amounts.values()].toSorted((a, b) => b.sizeBytes - a.sizeBytes);
}

function foreignFiles(foreign: ForeignHome): FileAmount[] {
  const amounts = foreign.classes().map(({ name, files, sizeBytes }) => ({ kind: name, files, sizeBytes }));
  return amounts.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
}
