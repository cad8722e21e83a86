import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Plan, PlanRequest } from '../../src/core/retention/plan.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { type ManualClock, manualClock, NOW } from './clock.ts';
import { collect } from './collect.ts';
import { seededRandom } from './crash-content.js';
import { Faults } from './engine-faults.ts';
import { type EngineHome, openEngineHome } from './engine-home.ts';
import { bytesOf, EngineMemory, type Remembered } from './engine-memory.ts';
import { memoryDifferences } from './memory-differences.ts';

const IDS = ['a', 'a_b', '*', '..', 'é'];

/** One walk through the life of a home: random acts on a real one, beside a plain memory of what must be there. */
export class EngineWalk {
  readonly #path: string;
  readonly #clock: ManualClock = manualClock(NOW);
  readonly #random: () => number;
  readonly #memory = new EngineMemory();
  readonly log: string[] = [];
  #at: EngineHome | undefined;
  #faults: Faults;
  #died = false;
  #count = 0;

  constructor(directory: string, seed: number) {
    this.#path = join(directory, 'home');
    this.#random = seededRandom(seed);
    this.#faults = new Faults(this.#path);
  }

  /** Does so many random acts. Returns everything that is not as remembered. */
  async run(steps: number): Promise<string[]> {
    await this.#open();
    const wrong: string[] = [];
    for (let step = 0; step < steps && wrong.length === 0; step += 1) {
      const [name, act] = this.#one(this.#acts());
      this.log.push(name);
      await act();
      wrong.push(...(await this.#differences(step === steps - 1 || this.#random() < 0.1)));
    }
    if (wrong.length === 0) wrong.push(...(await this.#leftovers()));
    await this.#home[Symbol.asyncDispose]();
    return wrong;
  }

  get #home(): EngineHome {
    if (this.#at === undefined) throw new Error('the home is not open');
    return this.#at;
  }

  #acts(): [string, () => Promise<unknown>][] {
    return [
      ['create', () => this.#create()],
      ['create', () => this.#create()],
      ['append', () => this.#append()],
      ['append', () => this.#append()],
      ['end', () => this.#end()],
      ['pin', () => this.#pin(this.#random() < 0.3)],
      ['dump', () => this.#dump()],
      ['dump', () => this.#dump()],
      ['plan', () => this.#plan()],
      ['apply', () => this.#apply()],
      ['delete', () => this.#delete()],
      ['delete', () => this.#delete()],
      ['drop files', () => this.#dropFiles()],
      ['drop files', () => this.#dropFiles()],
      ['archive', () => this.#planAndApply({ kind: 'archive', filter: {}, before: this.#clock.now() + 1 })],
      ['restore', () => this.#restore()],
      ['undo', () => this.#undo()],
      ['undo', () => this.#undo()],
      ['empty', () => this.#empty()],
      ['reopen', () => this.#reopen()],
      ['die', () => this.#die()],
      ['later', async () => this.#clock.advance(this.#one([HOUR_MS, 2 * DAY_MS, 8 * DAY_MS, 100 * DAY_MS]))],
      ['earlier', async () => this.#clock.advance(-this.#one([1, HOUR_MS / 60, 2 * DAY_MS]))],
    ];
  }

  async #create(): Promise<void> {
    const id = this.#one(IDS);
    if (this.#memory.live.has(id)) return;
    const [parentId] = this.#random() < 0.4 ? this.#memory.live.keys() : [];
    const child = parentId === undefined ? {} : { parentId, childKind: this.#one(['branch', 'continuation'] as const) };
    const taken = (await this.#home.parts.store.archive.get(id)) !== undefined;
    const created = this.#home.home.sessions.create({ id, source: 'cli', ...child });
    if (taken) return created.then(() => Promise.reject(new Error(`${id} is archived`)), unlessArchived);
    await created;
    this.#memory.live.set(id, {
      messages: [],
      dumps: new Map(),
      activeAt: this.#clock.now(),
      pinned: false,
      ended: false,
      claimed: true,
      version: 0,
    });
    if (this.#random() < 0.8) await this.#appendTo(id);
  }

  async #append(): Promise<void> {
    const [id] = this.#any() ?? [];
    if (id !== undefined) await this.#appendTo(id);
  }

  async #appendTo(id: string): Promise<void> {
    const session = this.#memory.live.get(id);
    if (session === undefined) return;
    const handle = await this.#home.home.sessions.open(id);
    if (session.ended) await handle.resume();
    const contents = Array.from({ length: this.#one([1, 3, 8]) }, () => `message ${(this.#count += 1)}`);
    await handle.appendAll(contents.map((content) => ({ role: 'user' as const, content })));
    session.messages.push(...contents);
    const activeAt = Math.max(session.activeAt, this.#clock.now());
    Object.assign(session, { activeAt, ended: false, claimed: true, version: session.version + 1 });
    if (this.#random() < 0.3) await this.#dumpInto(id, session);
    if (this.#random() < 0.7) await this.#endOne(id, session);
  }

  async #end(): Promise<void> {
    const found = this.#any();
    if (found !== undefined) await this.#endOne(...found);
  }

  async #endOne(id: string, session: Remembered): Promise<void> {
    if (session.ended) return;
    await (await this.#home.home.sessions.open(id)).end('done');
    Object.assign(session, { ended: true, claimed: false, version: session.version + 1 });
  }

  async #pin(pinned: boolean): Promise<void> {
    const [id, session] = this.#any() ?? [];
    if (id === undefined || session === undefined || session.pinned === pinned) return;
    const handle = await this.#home.home.sessions.open(id);
    await (pinned ? handle.pin() : handle.unpin());
    Object.assign(session, { pinned, version: session.version + 1 });
  }

  async #dump(): Promise<void> {
    const found = this.#any();
    if (found !== undefined) await this.#dumpInto(...found);
  }

  async #dumpInto(id: string, session: Remembered): Promise<void> {
    const { path } = await (await this.#home.home.sessions.open(id)).dump({ url: 'https://example.com', body: { id } });
    const all = new Map([...session.dumps, [basename(path), readFileSync(path, 'utf8')]]);
    // Old ones have made room.
    const left = new Map([...all].filter(([name]) => existsSync(join(dirname(path), name))));
    const activeAt = Math.max(session.activeAt, this.#clock.now());
    // One that takes the place of older ones of the very same size is noticed by its time alone.
    if (bytesOf(left) !== bytesOf(session.dumps) || activeAt !== session.activeAt) session.version += 1;
    Object.assign(session, { dumps: left, activeAt });
  }

  async #plan(): Promise<void> {
    const before = this.#clock.now() + 1;
    const request = this.#one<PlanRequest>([
      { kind: 'policy' },
      { kind: 'delete', ids: IDS.filter(() => this.#random() < 0.4) },
      { kind: 'prune', filter: {}, before, part: 'all' },
      { kind: 'prune', filter: {}, before, part: 'files' },
      { kind: 'archive', filter: {}, before },
      { kind: 'gc', filter: {}, emptyMs: HOUR_MS, trivialMs: HOUR_MS, trivialMaxMessages: 5 },
    ]);
    await this.#remember(request);
  }

  async #delete(): Promise<void> {
    const [id] = this.#any() ?? [];
    if (id !== undefined) await this.#planAndApply({ kind: 'delete', ids: [id] });
  }

  async #dropFiles(): Promise<void> {
    const before = this.#clock.now() + 1;
    await this.#planAndApply({ kind: 'prune', filter: {}, before, part: 'files' });
  }

  async #planAndApply(request: PlanRequest): Promise<void> {
    await this.#home.retention.apply(await this.#remember(request)).catch(unlessRefused);
  }

  async #remember(request: PlanRequest): Promise<Plan> {
    // Time goes by, as it does between any two plans.
    this.#clock.advance(1);
    const plan = await this.#home.retention.plan(request);
    this.#memory.keepPlan(plan);
    return plan;
  }

  /** The newest plan, or an older one that may no longer fit. */
  async #apply(): Promise<void> {
    const { plans } = this.#memory;
    if (plans.length === 0) return;
    const chosen = this.#one(this.#random() < 0.7 ? plans.slice(-1) : plans);
    await this.#home.retention.apply(chosen.plan).catch(unlessRefused);
  }

  async #undo(): Promise<void> {
    const run = await this.#anyRun();
    if (run !== undefined) await this.#home.retention.undo(run);
  }

  /** One that is archived; it comes back unless a run has put its archive into the trash. */
  async #restore(): Promise<void> {
    const [first] = await collect(this.#home.home.sessions.list({ archived: true }));
    if (first !== undefined) await this.#home.retention.restore([first.id]);
  }

  async #empty(): Promise<void> {
    const run = await this.#anyRun();
    if (run !== undefined) await this.#home.retention.emptyTrash(run);
  }

  async #reopen(): Promise<void> {
    await this.#home[Symbol.asyncDispose]();
    await this.#open();
  }

  /** Dies somewhere in an apply or undo; the next process recovers. */
  async #die(): Promise<void> {
    this.#faults = new Faults(this.#path, { number: 1 + Math.floor(this.#random() * 25), when: 'after' });
    const faults = this.#faults;
    await this.#reopen();
    this.#died = (await faults.during(() => (this.#random() < 0.6 ? this.#apply() : this.#undo()))) || this.#died;
    this.#faults = new Faults(this.#path);
    await this.#reopen();
    await this.#home.recover();
  }

  async #open(): Promise<void> {
    const faults = this.#faults;
    this.#at = await openEngineHome(this.#path, { clock: this.#clock, wrap: (store) => faults.wrap(store) });
    for (const session of this.#memory.live.values()) session.claimed = false;
  }

  async #differences(whole: boolean): Promise<string[]> {
    const wrong = await memoryDifferences(this.#memory, this.#home, whole);
    if (!whole) return wrong;
    const problems = (await collect(this.#home.home.check())).flatMap((check) => check.problems);
    // A death may leave half a write, or a bundle that was written and not yet referred to.
    const unexpected = problems.filter(({ kind }) => kind !== 'debris' || !this.#died);
    return [...wrong, ...unexpected.map(({ kind, message }) => `${kind}: ${message}`)];
  }

  /** What deaths left behind is gone once it is old and the rules have run. */
  async #leftovers(): Promise<string[]> {
    const debris = async () => (await this.#home.retention.scan()).strays.filter(({ kind }) => kind === 'debris');
    const left = await debris();
    if (left.length === 0) return [];
    const longAgo = this.#clock.now() / 1000 - 9e6;
    for (const { id } of left) utimesSync(join(this.#path, id), longAgo, longAgo);
    // The walk may have left the clock in doubt: it is believed again after a day of times that fit together.
    for (const wait of [100 * DAY_MS, 2 * DAY_MS]) {
      this.#clock.advance(wait);
      await this.#planAndApply({ kind: 'policy' });
    }
    return (await debris()).map(({ id }) => `${id} stays for ever`);
  }

  #any(): [string, Remembered] | undefined {
    return this.#memory.live.size === 0 ? undefined : this.#one([...this.#memory.live]);
  }

  async #anyRun(): Promise<string | undefined> {
    const runs = await collect(this.#home.retention.runs());
    // Newest first; older ones now and then.
    return runs.length === 0 ? undefined : this.#one(this.#random() < 0.7 ? runs.slice(0, 3) : runs).id;
  }

  #one<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error('there is nothing to choose from');
    return value;
  }
}

function unlessArchived(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('belongs to an archived session'))) throw error;
}

/** A plan that is too old or was applied before is refused, as it should be. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Error && /more than a day old|applied already/.test(error.message))) throw error;
}
