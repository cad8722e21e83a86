import type { EpochMs } from '../time.ts';

/** Something that must reach somebody. It is kept until it did, or until it was given up on purpose. */
export interface Delivery {
  readonly id: string;
  readonly sessionId: string;
  readonly job: string;
  /** Where to, as the job says; the caller checks it. */
  readonly target: string;
  readonly createdAt: EpochMs;
  /** `sending` was begun and its end is not known: sending it again may make it arrive twice, and says so. */
  readonly state: 'waiting' | 'sending' | 'delivered' | 'given-up';
  readonly attempts: number;
  readonly nextAttemptAt: EpochMs;
  readonly lastError?: string;
}

/** What was promised to be delivered. Every method is durable when its promise resolves. */
export interface DeliveryBook {
  promise(delivery: Pick<Delivery, 'id' | 'sessionId' | 'job' | 'target'>): Promise<void>;
  /** Marks an attempt before it is made. False when it is not waiting, or another process is at it. */
  begin(id: string): Promise<Delivery | undefined>;
  delivered(id: string): Promise<void>;
  /** To be tried again then, or given up when `retryAt` is absent. */
  failed(id: string, error: string, retryAt?: EpochMs): Promise<void>;
  /** To be tried now. One that somebody has been sending for minutes is: whoever it was is dead. */
  due(now: EpochMs): Promise<readonly Delivery[]>;
  /** At start, when no other daemon runs: what a crash left `sending` waits again at once, marked by its attempts. */
  reclaim(): Promise<number>;
  /** All that has not arrived, for one session or all; what was given up included. */
  open(sessionId?: string): Promise<readonly Delivery[]>;
  /** Forgets what arrived or was given up before then. */
  trim(before: EpochMs): Promise<void>;
}
