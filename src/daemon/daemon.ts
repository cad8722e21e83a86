import type { BackgroundReport } from '../app/maintenance/background-report.ts';
import { errorText } from '../core/error-text.ts';
import { HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { ChoreHealth } from '../http/resources/readiness.ts';
import { Chore, type ChoreSpec } from './chore.ts';
import type { DaemonParts } from './daemon-parts.ts';
import { createWatchdog } from './watchdog.ts';

/**
 * Everything a machine needs done while agents run: jobs by the clock, deliveries, resets, maintenance under the guard, and a
 * watch on growth and free space. One chore that fails is said and tried again; one that takes long is not begun a second time.
 * The others go on.
 */
export class Daemon {
  readonly #parts: DaemonParts;
  readonly #chores: Chore[];
  readonly #stop = new AbortController();
  readonly #going = new Set<Promise<void>>();

  constructor(parts: DaemonParts) {
    this.#parts = parts;
    const watchdog = createWatchdog(parts);
    this.#chores = [
      this.#chore({ name: 'scheduled jobs', everyMs: 5 * SECOND_MS, act: () => this.#runJobs() }),
      this.#chore({ name: 'deliveries', everyMs: 10 * SECOND_MS, act: () => this.#deliver() }),
      this.#chore({ name: 'resets', everyMs: MINUTE_MS, act: () => this.#reset() }),
      this.#chore({ name: 'the watch on growth', everyMs: MINUTE_MS, act: watchdog }),
      this.#chore({ name: 'the limits of checkpoints', everyMs: 10 * MINUTE_MS, act: () => this.#boundCheckpoints() }),
      this.#chore({ name: 'maintenance', everyMs: 10 * MINUTE_MS, act: () => this.#maintain() }),
      this.#chore({ name: 'other homes', everyMs: HOUR_MS, act: () => this.#maintainOthers() }),
    ];
  }

  /** Before the first step: closes what an earlier daemon left open, and forgets what troubled it. */
  async recover(): Promise<void> {
    await this.#parts.home.noteTroubles([]);
    await (await this.#parts.home.scheduler()).recover();
  }

  /** Takes on something else that must be done by the clock. */
  add(spec: ChoreSpec): void {
    this.#chores.push(this.#chore(spec));
  }

  /** Does whatever is due now and not being done yet. Whoever does not wait for it can take the next step meanwhile. */
  async step(): Promise<void> {
    for (const chore of this.#chores) {
      if (this.#stop.signal.aborted) return;
      if (!chore.isDue) continue;
      const said = await chore.attempt();
      if (said !== undefined) await this.#tellOf(said);
    }
  }

  /** Lets runs that are going end politely, and waits for them. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#going);
  }

  /** How each chore goes. */
  get chores(): readonly ChoreHealth[] {
    return this.#chores.map(({ health }) => health);
  }

  #chore(spec: ChoreSpec): Chore {
    return new Chore(spec, this.#parts.clock);
  }

  /** In the log, and where `coppice status` looks. What keeps a chore from its work may keep this from being noted as well. */
  async #tellOf(said: string): Promise<void> {
    const { home, clock, say } = this.#parts;
    say(said);
    const troubles = this.chores.flatMap(({ name, trouble }) => (trouble === undefined ? [] : [{ name, trouble }]));
    const at = clock.now();
    await home.noteTroubles(troubles.map((each) => ({ ...each, at }))).catch((error: unknown) => {
      say(`It could not be noted for coppice status: ${errorText(error)}`);
    });
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

  async #boundCheckpoints(): Promise<void> {
    const report = await this.#parts.home.checkpoints.keepBounded();
    if (report.status === 'failed') throw new Error(report.error);
    if (report.status === 'done' && report.removed > 0) {
      await this.#announce('maintenance', `Checkpoints beyond their limits were removed: ${report.removed}.`);
    }
  }

  async #maintain(): Promise<void> {
    // Also where nothing is removed unattended: a person who cuts back by hand can, once nobody uses what was left open.
    await this.#parts.home.closeAbandoned();
    const report = await this.#parts.home.maintainInBackground({ signal: this.#stop.signal });
    if (report.status === 'failed') throw new Error(report.error);
    if (report.status === 'done' && report.removed > 0) {
      const lost = report.forGood === undefined ? '' : `, ${report.forGood} of them FOR GOOD`;
      await this.#announce('maintenance', `Maintenance removed ${counted(report.removed)}${lost}.`);
    }
    if (report.status === 'done' && report.waiting !== undefined) {
      const { items, until } = report.waiting;
      const when =
        until === undefined ? 'held' : `going by ${isoTime(until)} unless you hold it: coppice maintain hold`;
      await this.#announce('maintenance', `Waiting: ${counted(items)}, ${when}. See which: coppice plan`);
    }
  }

  /** Homes of this person whose own settings ask for it, and what agents are about to delete where that is to be saved. */
  async #maintainOthers(): Promise<void> {
    const { home, env, clock } = this.#parts;
    if (env === undefined) return;
    const { maintainOthers } = await import('../app/machine/maintain-others.ts');
    const { rescue } = home.config.homes;
    const failed: string[] = [];
    for await (const pass of maintainOthers({ env, except: home.path, rescue, clock, signal: this.#stop.signal })) {
      const { name } = pass.known;
      if ('failure' in pass) failed.push(`${name}: ${pass.failure.message}`);
      else if (pass.report.status === 'failed') failed.push(`${name}: ${pass.report.error}`);
      else for (const said of saidOf(pass.report)) await this.#announce('maintenance', `${name}: ${said}`);
    }
    if (failed.length > 0) throw new Error(failed.join('; '));
  }
}

function saidOf(report: BackgroundReport): string[] {
  const rescue = 'rescue' in report ? report.rescue : undefined;
  const removed = report.status === 'done' ? report.removed : 0;
  return [
    ...(rescue !== undefined && rescue.archived > 0
      ? [`${counted(rescue.archived)} archived that its agent was about to delete.`]
      : []),
    ...(removed > 0 ? [`Maintenance removed ${counted(removed)}.`] : []),
  ];
}

function counted(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}
