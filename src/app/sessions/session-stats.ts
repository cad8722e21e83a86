import { statSync } from 'node:fs';
import type { CleanUp } from '../../core/retention/clean-up.ts';
import { type Inventory, itemBytes } from '../../core/retention/inventory.ts';
import { type EpochMs, HOUR_MS } from '../../core/time.ts';
import type { FileKind } from '../../homes/native/native-files.ts';
import { type CleanUpRemovals, planCleanUps, rankCleanUps } from '../../policy/rank-clean-ups.ts';
import type { HomeParts } from '../home-parts.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';
import { Retention } from '../retention/retention.ts';

export interface Amount {
  sessions: number;
  messages: number;
  sizeBytes: number;
}

export interface SourceAmount extends Amount {
  readonly source: string;
}

export interface AgeAmount extends Amount {
  /** Last active at most so many hours ago; absent for everything older. */
  readonly maxHours?: number;
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
  readonly checkpoints: CheckpointAmount;
  /** What the configured rules would let go of, were they applied now. */
  readonly reclaimable: readonly ExpiryAmount[];
  /** The commands that would free anything now, the one that would free most first. */
  readonly cleanUps: readonly CleanUp[];
}

export interface CheckpointAmount {
  readonly count: number;
  /** What they take together: content that several share is there once. */
  readonly sizeBytes: number;
}

const AGE_LIMITS_HOURS = [1, 6, 24, 7 * 24, 30 * 24, 90 * 24, undefined];

export interface SessionStatsOptions {
  readonly signal?: AbortSignal;
  /** Told how many sessions and files were counted so far. */
  readonly onProgress?: (done: number) => void;
}

/** Counts everything in one scan, which is one pass over the sessions and one walk over the files. */
export async function sessionStats(
  parts: HomeParts,
  { signal, onProgress }: SessionStatsOptions = {},
): Promise<SessionStats> {
  const files = fileCounts();
  let done = 0;
  const count = () => onProgress?.((done += 1));
  const inventory = await new Retention(parts).scan({
    ...(signal && { signal }),
    onProgress: count,
    onFile: ({ kind, sizeBytes }) => {
      files.add(kind, sizeBytes);
      count();
    },
  });
  const now = inventory.scannedAt;
  const removals = planCleanUps(inventory, { policy: policyFromConfig(parts.config), now });
  return {
    ...countSessions(inventory, now),
    byFileKind: inventory.files === undefined ? files.with(databaseFiles(parts)) : foreignFiles(inventory.files),
    checkpoints: { count: inventory.checkpoints.length, sizeBytes: inventory.checkpointBytes },
    reclaimable: countReclaimable(inventory, removals),
    cleanUps: rankCleanUps(removals),
  };
}

function countSessions({ sessions }: Inventory, now: EpochMs): Pick<SessionStats, 'total' | 'bySource' | 'byAge'> {
  const total = nothing();
  const bySource = new Map<string, SourceAmount>();
  const byAge: AgeAmount[] = AGE_LIMITS_HOURS.map((hours) => ({
    ...(hours !== undefined && { maxHours: hours }),
    ...nothing(),
  }));
  for (const session of sessions) {
    const source = bySource.get(session.source) ?? { source: session.source, ...nothing() };
    bySource.set(session.source, source);
    const age = byAge.find(
      ({ maxHours }) => maxHours === undefined || now - session.lastActiveAt <= maxHours * HOUR_MS,
    );
    const size = { messages: session.messageCount, sizeBytes: itemBytes(session) };
    for (const amount of [total, source, age]) if (amount !== undefined) addTo(amount, size);
  }
  return { total, bySource: [...bySource.values()].toSorted((a, b) => b.sizeBytes - a.sizeBytes), byAge };
}

/** What goes for being slight goes by that rule first, also where it is past its retention: as the policy decides. */
function countReclaimable({ sessions }: Inventory, removals: CleanUpRemovals): ExpiryAmount[] {
  const amounts = (['empty', 'trivial', 'retention'] as const).map((rule) => ({ rule, ...nothing() }));
  const messages = new Map(sessions.map(({ id, messageCount }) => [id, messageCount]));
  const slight = removals.get('sessions gc') ?? [];
  const counted = new Set(slight.map(({ item }) => item.id));
  const old = (removals.get('sessions prune') ?? []).filter(({ item }) => !counted.has(item.id));
  for (const { item, reason, sizeBytes } of [...slight, ...old]) {
    const amount = amounts.find(({ rule }) => rule === reason);
    if (amount !== undefined) addTo(amount, { messages: messages.get(item.id) ?? 0, sizeBytes });
  }
  return amounts;
}

function nothing(): Amount {
  return { sessions: 0, messages: 0, sizeBytes: 0 };
}

function addTo(amount: Amount, size: { readonly messages: number; readonly sizeBytes: number }): void {
  amount.sessions += 1;
  amount.messages += size.messages;
  amount.sizeBytes += size.sizeBytes;
}

function fileCounts() {
  const amounts = new Map<FileAmount['kind'], FileAmount>();
  const add = (kind: FileAmount['kind'], sizeBytes: number) => {
    const amount = amounts.get(kind) ?? { kind, files: 0, sizeBytes: 0 };
    amounts.set(kind, amount);
    amount.files += 1;
    amount.sizeBytes += sizeBytes;
  };
  return {
    add,
    /** All of it, with the files of the database. Largest first. */
    with(database: readonly number[]): FileAmount[] {
      for (const sizeBytes of database) add('database', sizeBytes);
      return [...amounts.values()].toSorted((a, b) => b.sizeBytes - a.sizeBytes);
    },
  };
}

function databaseFiles({ layout }: HomeParts): number[] {
  return ['', '-wal', '-shm'].flatMap(
    (suffix) => statSync(layout.database + suffix, { throwIfNoEntry: false })?.size ?? [],
  );
}

function foreignFiles(classes: NonNullable<Inventory['files']>): FileAmount[] {
  const amounts = classes.map(({ name, files, sizeBytes }) => ({ kind: name, files, sizeBytes }));
  return amounts.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
}
