import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../src/app/home.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../src/core/time.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { seededRandom } from '../support/crash-content.js';
import type { Arrived, BoundSettings } from '../support/stated-bound.js';
import { type FaultName, openFaulty } from './faults.ts';

/** What the simulation knows of a session because it made it. Never read back from the home. */
export interface KnownSession {
  readonly id: string;
  readonly source: string;
  readonly workdir?: string;
  /** It has a parent or a child, so that it may stay for the sake of another. */
  related: boolean;
  messages: number;
  /** Of all contents, one after the other. Absent for what a process wrote that was killed: some of it may not have been told. */
  digest: string | undefined;
  lastActiveAt: EpochMs;
  endedAt: EpochMs | undefined;
  /** When the process ended that had left it open. Until then it is in use, however long nobody says anything in it. */
  letGoAt: EpochMs | undefined;
  /** When it was last seen to be the newest of its group, which stays whatever its age. */
  newestAt: EpochMs;
  pinned: boolean;
  tagged: boolean;
  /** The transcript as it was when the session ended. */
  transcript: string | undefined;
  /** Seen in the trash, where it has to stay until then. */
  trashedUntil: EpochMs | undefined;
  isGone: boolean;
}

/** A folder with checkpoints. */
export interface KnownFolder {
  readonly path: string;
  isThere: boolean;
  newest: { readonly id: string; readonly at: EpochMs; readonly digest: string; readonly bytes: number } | undefined;
}

export interface Settings extends BoundSettings {
  readonly minAgeHours: number;
  readonly trivialDays: number;
}

/** How often the job runs that everybody has. */
export const QUARTER_HOURLY = 96;

export interface MachineOptions {
  readonly root: string;
  readonly seed: number;
  readonly settings: Settings;
  readonly faults?: readonly FaultName[];
  /** How often the job runs on a day. */
  readonly cronRuns?: number;
}

/** A machine with one home, a clock that the simulation moves, and all that the simulation remembers. */
export class Machine {
  readonly root: string;
  readonly path: string;
  readonly settings: Settings;
  readonly faults: readonly FaultName[];
  readonly cronRuns: number;
  readonly random: () => number;
  readonly clock: ManualClock;
  readonly sessions = new Map<string, KnownSession>();
  /** Which session answers a key, as the gateway said last. */
  readonly routes = new Map<string, string>();
  readonly folders: KnownFolder[] = [];
  /** What arrived on each day on which the machine was on. */
  readonly arrived: Arrived[] = [];
  /** When unattended passes looked at the home, by its clock. */
  readonly passes: EpochMs[] = [];
  /** What the clock said at the most at a pass: things are as old as that. */
  latestPassAt = 0;
  /** What the clock said at the most while anybody worked: what is over by then may be gone, also when the clock is set back right after. */
  latestWorkAt = 0;
  /** Until then the clock may be in doubt, and nothing goes by its age. */
  doubtUntil = 0;
  #home: Home | undefined;
  #today: Arrived = NOTHING;

  constructor({ root, seed, settings, faults = [], cronRuns = QUARTER_HOURLY }: MachineOptions) {
    this.root = root;
    this.path = join(root, 'home');
    this.settings = settings;
    this.faults = faults;
    this.cronRuns = cronRuns;
    this.random = seededRandom(seed);
    // Files bear the time of the machine that runs this, so nothing may be before it.
    this.clock = manualClock(Math.ceil(Date.now() / DAY_MS) * DAY_MS);
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.path, 'config.yaml'), configText(settings), { mode: 0o600 });
  }

  get now(): EpochMs {
    return this.clock.now();
  }

  async home(): Promise<Home> {
    this.#home ??= await openFaulty(this.path, this.clock, this.faults);
    return this.#home;
  }

  /** Everybody's program ends, as it does at night. */
  async restart(): Promise<void> {
    const home = this.#home;
    this.#home = undefined;
    await home?.close();
    for (const session of this.sessions.values()) if (session.endedAt === undefined) session.letGoAt ??= this.now;
  }

  chance(part: number): boolean {
    return this.random() < part;
  }

  whole(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  know(session: Pick<KnownSession, 'id' | 'source'> & { workdir?: string; related?: boolean }): KnownSession {
    const known: KnownSession = {
      related: false,
      messages: 0,
      digest: '',
      lastActiveAt: this.now,
      endedAt: undefined,
      letGoAt: undefined,
      newestAt: 0,
      pinned: false,
      tagged: false,
      transcript: undefined,
      trashedUntil: undefined,
      isGone: false,
      ...session,
    };
    this.sessions.set(known.id, known);
    this.#arrives({ sessions: 1, folders: session.source === 'cron' ? 0 : 1 });
    return known;
  }

  noteMessage(session: KnownSession, content: string): void {
    session.messages += 1;
    session.digest = nextDigest(session.digest ?? '', content);
    session.lastActiveAt = this.now;
    this.#arrives({ contentBytes: Buffer.byteLength(content) });
  }

  /** All that arrived on the last so many days on which the machine was on. */
  arrivedWithin(days: number): Arrived {
    return this.arrived.slice(-Math.ceil(days)).reduce(together, NOTHING);
  }

  #arrives(more: Partial<Arrived>): void {
    this.#today = together(this.#today, { ...NOTHING, ...more });
  }

  endDay(): void {
    this.arrived.push(this.#today);
    this.#today = NOTHING;
  }
}

const NOTHING: Arrived = { sessions: 0, folders: 0, contentBytes: 0 };

function together(one: Arrived, other: Arrived): Arrived {
  return {
    sessions: one.sessions + other.sessions,
    folders: one.folders + other.folders,
    contentBytes: one.contentBytes + other.contentBytes,
  };
}

/** The digest of contents, one after the other. */
export function nextDigest(before: string, content: string): string {
  return createHash('sha256').update(before).update(content).digest('hex');
}

function configText({ abandonDays, minAgeHours, capBytes, ...settings }: Settings): string {
  const megabytes = (bytes: number) => bytes / 1024 / 1024;
  const cap = capBytes === undefined ? [] : [`  max_mb: ${megabytes(capBytes)}`, '  for_good: true'];
  return [
    'sessions:',
    '  auto_prune: true',
    `  min_interval_hours: ${settings.intervalDays * 24 - 4}`,
    `  retention_days: ${settings.retentionDays}`,
    `  trivial_days: ${settings.trivialDays}`,
    `  min_age_hours: ${minAgeHours}`,
    `  abandon_after_hours: ${(abandonDays * DAY_MS) / HOUR_MS}`,
    'trash:',
    `  grace_days: ${settings.graceDays}`,
    'checkpoints:',
    '  enabled: true',
    `  max_total_size_mb: ${megabytes(settings.checkpointBytes)}`,
    `  retention_days: ${settings.retentionDays}`,
    `  min_interval_hours: ${settings.intervalDays * 24 - 4}`,
    'disk:',
    `  ballast_mb: ${megabytes(settings.reserveBytes)}`,
    ...cap,
    'session_reset:',
    '  by_source:',
    '    slack: { mode: both, idle_minutes: 600 }',
    '',
  ].join('\n');
}
