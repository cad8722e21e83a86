import type { AuditQuery, AuditRecord } from '../../core/audit.ts';
import { isJsonObject } from '../../core/json.ts';
import { isoTime } from '../../core/time.ts';
import { judgeClock } from '../../homes/native/clock-watch.ts';
import type { HomeParts } from '../home-parts.ts';
import { appendAudit, dropExpiredAudit, readAudit } from './audit-files.ts';

/** So many kinds of requests are summed up at once; then they are written down and begun anew. */
const MOST_SUMS = 500;

/** Who changed what in a home: `home.audit`. */
export class Audit {
  readonly #parts: Pick<HomeParts, 'layout' | 'clock' | 'store'>;
  #sums = new Map<string, AuditRecord>();

  constructor(parts: Pick<HomeParts, 'layout' | 'clock' | 'store'>) {
    this.#parts = parts;
  }

  /** Puts a change on record. It is on the disk when this returns. */
  note(record: AuditRecord): void {
    this.#append('changes', [record]);
  }

  /** Counts what happens all day long: what is the same in all but its time is one record. On the disk after the next `flush`. */
  add(record: AuditRecord): void {
    const { at: _at, requestId: _id, count = 1, ...kind } = record;
    const key = JSON.stringify(kind);
    const before = this.#sums.get(key);
    this.#sums.set(key, before === undefined ? record : { ...record, count: (before.count ?? 1) + count });
    if (this.#sums.size >= MOST_SUMS) this.#write();
  }

  /** Writes down what was counted, and drops what is too old, where the clock can be believed. */
  async flush(): Promise<void> {
    this.#write();
    const { store, clock, layout } = this.#parts;
    if ((await judgeClock(store, clock)) === 'trusted') dropExpiredAudit(layout.root, clock.now());
  }

  /** What is on record, newest first. */
  async *list({ since = 0, who, limit = Number.POSITIVE_INFINITY }: AuditQuery = {}): AsyncGenerator<AuditRecord> {
    const found = readAudit(this.#parts.layout.root)
      .flatMap((line) => parseRecord(line) ?? [])
      .filter((record) => record.at >= since && (who === undefined || record.who === who));
    yield* found.toSorted((a, b) => b.at - a.at).slice(0, limit);
  }

  #write(): void {
    const sums = [...this.#sums.values()];
    this.#sums = new Map();
    this.#append('routine', sums);
  }

  #append(row: 'changes' | 'routine', records: readonly AuditRecord[]): void {
    const { layout, clock } = this.#parts;
    appendAudit(layout.root, row, { lines: records.map(recordText), now: clock.now() });
  }
}

const VERSION = 1;

/** One line of the log. */
export function recordText({ at, ...rest }: AuditRecord): string {
  return JSON.stringify({ v: VERSION, at: isoTime(at), ...rest });
}

/** The record in a line; undefined for one that was cut off, or of a version that is not known here. */
export function parseRecord(line: string): AuditRecord | undefined {
  const found = parse(line);
  if (!isJsonObject(found) || found['v'] !== VERSION) return undefined;
  const { v: _, at, ...rest } = found;
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  // Written by ourselves, in a folder of ours.
  return Number.isNaN(time) ? undefined : ({ at: time, ...rest } as unknown as AuditRecord);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
