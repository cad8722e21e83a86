import type { AuditQuery, AuditRecord } from '../../core/audit.ts';
import { isJsonObject } from '../../core/json.ts';
import { isoTime } from '../../core/time.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import type { HomeParts } from '../home-parts.ts';
import { appendAudit, dropExpiredAudit, readAudit } from './audit-files.ts';

/** So many kinds of requests are summed up at once; then they are written down and begun anew. */
const MOST_SUMS = 500;

/** Who changed what in a home: `home.audit`. */
export class Audit {
  readonly #parts: Pick<HomeParts, 'layout' | 'clock' | 'store'>;
  #sums = new Map<string, Sum>();

  constructor(parts: Pick<HomeParts, 'layout' | 'clock' | 'store'>) {
    this.#parts = parts;
  }

  /** Puts a change on record. It is on the disk when this returns. */
  note(record: AuditRecord): void {
    this.#append('changes', [record]);
  }

  /** Counts what happens all day long: what is the same in all but its time is one record. On the disk after the next `flush`. */
  add(record: AuditRecord): void {
    const { count = 1 } = record;
    const key = kindOf(record);
    const sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, { last: record, count });
    else {
      sum.last = record;
      sum.count += count;
    }
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
    this.#append(
      'routine',
      sums.map(({ last, count }) => (count === 1 ? last : { ...last, count })),
    );
  }

  #append(row: 'changes' | 'routine', records: readonly AuditRecord[]): void {
    const { layout, clock } = this.#parts;
    appendAudit(layout.root, row, { lines: records.map(recordText), now: clock.now() });
  }
}

/** The newest of several records that are the same in all but their time. */
interface Sum {
  last: AuditRecord;
  count: number;
}

/**
 * What a record has besides its time and the id of its request. Every append asks, so it is put together by hand; the part that a client
 * chooses comes last, where it can look like nothing else.
 */
function kindOf({ who, via, address, what, subject, run, detail, outcome, status }: AuditRecord): string {
  return [who, via, address, what, run, detail, outcome, status, subject].join('\n');
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
