import { errorText } from '../core/error-text.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { DaemonParts } from './daemon-parts.ts';
import { createWatchdog } from './watchdog.ts';

interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly act: () => Promise<void>;
  dueAt: EpochMs;
  going: boolean;
}

/**
 * Everything a machine needs done while agents run: jobs by the clock, deliveries, resets, maintenance under the guard, and a
 * watch on growth and free space. One chore that fails is said and tried again; one that takes long is not begun a second time.
 * The others go on.
 */
export class Daemon {
  readonly #parts: DaemonParts;
  readonly #chores: readonly Chore[];
  readonly #stop = new AbortController();
  readonly #going = new Set<Promise<void>>();
  readonly #failed = new Map<string, string>();

  constructor(parts: DaemonParts) {
    this.#parts = parts;
    const watchdog = createWatchdog(parts);
    this.#chores = [
      chore('scheduled jobs', 5 * SECOND_MS, () => this.#runJobs()),
      chore('deliveries', 10 * SECOND_MS, () => this.#deliver()),
      chore('resets', MINUTE_MS, () => this.#reset()),
      chore('the watch on growth', MINUTE_MS, watchdog),
      chore('maintenance', 10 * MINUTE_MS, () => this.#maintain()),
    ];
  }

  /** Before the first step: closes what an earlier daemon left open. */
  async recover(): Promise<void> {
    await (await this.#parts.home.scheduler()).recover();
  }

  /** Does whatever is due now and not being done yet. Whoever does not wait for it can take the next step meanwhile. */
  async step(): Promise<void> {
    for (const next of this.#chores) {
      const now = this.#parts.clock.now();
      // A clock that went back must not keep a chore waiting for long.
      const due = next.dueAt <= now || next.dueAt > now + next.everyMs;
      if (!due || next.going || this.#stop.signal.aborted) continue;
      next.dueAt = now + next.everyMs;
      next.going = true;
      await this.#attempt(next);
      next.going = false;
    }
  }

  /** Lets runs that are going end politely, and waits for them. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#going);
  }

  /** What is failing now, by chore; empty when all is well. */
  get failing(): ReadonlyMap<string, string> {
    return this.#failed;
  }

  async #attempt({ name, act }: Chore): Promise<void> {
    try {
      await act();
      if (this.#failed.delete(name)) this.#parts.say(`All is well again with ${name}.`);
    } catch (error) {
      const said = errorText(error);
      // Said once, not at every try.
      if (this.#failed.get(name) !== said) this.#parts.say(`Trouble with ${name}: ${said}`);
      this.#failed.set(name, said);
    }
  }

  /** In the log, and to everybody who follows the events. */
  async #announce(kind: 'delivered' | 'maintenance' | 'warning', message: string): Promise<void> {
    this.#parts.say(message);
    await this.#parts.home.gateway.publish({ kind, message });
  }

  async #runJobs(): Promise<void> {
    const { say } = this.#parts;
    const { started, ended } = await (await this.#parts.home.scheduler()).tick({
      signal: this.#stop.signal,
      onEnded: ({ sessionId, outcome, why }) => say([`${sessionId}: ${outcome}.`, why].join(' ').trim()),
    });
    for (const sessionId of started) say(`Started ${sessionId}.`);
    const going = ended.finally(() => this.#going.delete(going));
    this.#going.add(going);
  }

  async #deliver(): Promise<void> {
    const { arrived, failures } = await (await this.#parts.home.scheduler()).deliver(this.#stop.signal);
    for (const said of arrived) await this.#announce('delivered', said);
    for (const failure of failures) await this.#announce('warning', failure);
  }

  async #reset(): Promise<void> {
    const keys = await this.#parts.home.gateway.resetIdle(this.#stop.signal);
    for (const key of keys) this.#parts.say(`${key} starts afresh at the next message.`);
  }

  async #maintain(): Promise<void> {
    const report = await this.#parts.home.maintainInBackground({ signal: this.#stop.signal });
    if (report.status === 'failed') throw new Error(report.error);
    if (report.status === 'done' && report.removed > 0) {
      await this.#announce('maintenance', `Maintenance removed ${report.removed} items.`);
    }
    if (report.status === 'announced') {
      await this.#announce(
        'maintenance',
        `Maintenance would remove ${report.held} items and waits for you: coppice plan`,
      );
    }
  }
}

function chore(name: string, everyMs: number, act: () => Promise<void>): Chore {
  return { name, everyMs, act, dueAt: 0, going: false };
}
