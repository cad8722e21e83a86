import { statSync } from 'node:fs';
import { type SessionFacts, sessionBytes } from '../../core/session.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { type FileKind, nativeFiles } from '../../homes/native/native-files.ts';
import { judgeSession, type SessionRules } from '../../policy/judge-session.ts';
import type { HomeParts } from '../home-parts.ts';
import { activeQuery } from './active-sessions.ts';
import { sessionRulesFor } from './session-rules.ts';

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
  readonly kind: 'database' | FileKind;
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

export interface StatsOptions {
  readonly signal?: AbortSignal;
  /** Told how many sessions and files were counted so far. */
  readonly onProgress?: (done: number) => void;
}

/** Counts everything in one pass over the sessions and one walk over the files. */
export async function sessionStats(parts: HomeParts, { signal, onProgress }: StatsOptions = {}): Promise<SessionStats> {
  const now = parts.clock.now();
  const count = createCount(now, (source) => sessionRulesFor(parts.config, source));
  const active = await activeIds(parts);
  let done = 0;
  for await (const session of parts.store.list()) {
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

function createCount(now: EpochMs, rulesFor: (source: string) => SessionRules) {
  const total = nothing();
  const bySource = new Map<string, SourceAmount & { readonly rules: SessionRules }>();
  const byAge: AgeAmount[] = AGE_LIMITS_DAYS.map((days) => ({
    ...(days !== undefined && { maxDays: days }),
    ...nothing(),
  }));
  const reclaimable = (['empty', 'trivial', 'retention'] as const).map((rule) => ({ rule, ...nothing() }));

  const add = (session: SessionFacts, active: boolean) => {
    const source = bySource.get(session.source) ?? {
      source: session.source,
      ...nothing(),
      rules: rulesFor(session.source),
    };
    bySource.set(session.source, source);
    const verdict = judgeSession({ ...session, active }, source.rules, now);
    const age = byAge.find(({ maxDays }) => maxDays === undefined || now - session.lastActiveAt <= maxDays * DAY_MS);
    const expiry = verdict.kind === 'expire' ? reclaimable.find(({ rule }) => rule === verdict.rule) : undefined;
    for (const amount of [total, source, age, expiry]) if (amount !== undefined) addTo(amount, session);
  };
  const result = () => ({
    total,
    bySource: [...bySource.values()]
      .map(({ rules: _, ...amount }) => amount)
      .toSorted((a, b) => b.sizeBytes - a.sizeBytes),
    byAge,
    reclaimable,
  });
  return { add, result };
}

function nothing(): Amount {
  return { sessions: 0, messages: 0, sizeBytes: 0 };
}

function addTo(amount: Amount, session: SessionFacts): void {
  amount.sessions += 1;
  amount.messages += session.messageCount;
  amount.sizeBytes += sessionBytes(session);
}

function countFiles({ layout }: HomeParts, onFile: () => void): FileAmount[] {
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
