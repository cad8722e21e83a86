import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Retention } from '../../src/app/retention/retention.ts';
import type { Decision, Plan, PlanRequest } from '../../src/core/retention/plan.ts';
import { type SessionTrash, sessionFingerprint, type TrashRequest } from '../../src/core/stores/session-trash.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { collect } from '../support/collect.ts';
import { openEngineHome } from '../support/engine-home.ts';
import { type FreshHome, freshEngineHome } from '../support/fresh-engine-home.ts';

const FILES: PlanRequest = { kind: 'prune', filter: { source: 'cli' }, part: 'files' };

describe('runs that meet what happened since', () => {
  let { path, clock, at } = {} as FreshHome;
  beforeEach(async () => {
    ({ path, clock, at } = await freshEngineHome());
  });

  async function aSession(id: string): Promise<void> {
    const session = await at.home.sessions.create({ id, source: 'cli' });
    await session.appendAll(Array.from({ length: 6 }, (_, index) => ({ role: 'user', content: `${id} ${index}` })));
    await session.dump({ url: 'https://example.com', body: { id } });
    await session.end('done');
  }

  async function take(id: string, request: PlanRequest): Promise<string> {
    const { run, done } = await at.retention.apply(await at.retention.plan(request));
    expect(done, id).toBe(1);
    return run.id;
  }

  const remove = (id: string) => take(id, { kind: 'delete', ids: [id] });
  const dropFiles = (id: string) => take(id, FILES);

  async function append(id: string, content: string): Promise<void> {
    const session = await at.home.sessions.open(id);
    await session.resume();
    await session.append({ role: 'user', content });
    await session.end('done');
  }

  async function dropDumps(id: string): Promise<string> {
    clock.advance(20 * DAY_MS);
    return take(id, { kind: 'policy' });
  }

  async function problems(): Promise<string[]> {
    return (await collect(at.home.check())).flatMap((check) => check.problems.map(({ message }) => message));
  }

  const factsOf = async (id: string) => (await at.home.sessions.open(id)).facts();

  const dumps = (id: string) => {
    const directory = at.parts.layout.dumps(id);
    return existsSync(directory) ? readdirSync(directory).length : 0;
  };

  it('leaves a dump that took the place of the one that the plan saw, although both are of one size', async () => {
    await aSession('s');
    clock.advance(20 * DAY_MS);
    const plan = await at.retention.plan({ kind: 'policy' });
    const { dumpBytes } = await factsOf('s');
    await (await at.home.sessions.open('s')).dump({ url: 'https://example.com', body: { id: 's' } });
    expect((await factsOf('s')).dumpBytes).toBe(dumpBytes);
    expect(await at.retention.apply(plan)).toMatchObject({ done: 0, skipped: 1 });
    expect(dumps('s')).toBe(1);
  });

  it('gives dumps back to a session that went on, and leaves its transcript right', async () => {
    await aSession('s');
    const run = await dropDumps('s');
    await append('s', 'more');
    expect(await at.retention.undo(run)).toMatchObject({ done: 1 });
    expect(await problems()).toEqual([]);
    expect(dumps('s')).toBe(1);
  });

  it('gives dumps back to a session whose transcript another run holds', async () => {
    await aSession('s');
    const first = await dropDumps('s');
    const second = await dropFiles('s');
    expect(await at.retention.undo(first)).toMatchObject({ done: 1 });
    expect(await problems()).toEqual([]);
    expect(await at.retention.undo(second)).toMatchObject({ done: 1 });
    expect(await problems()).toEqual([]);
    await append('s', 'more');
    expect(await problems()).toEqual([]);
  });

  it('leaves the files of a session in the trash while the session itself is there too', async () => {
    await aSession('s');
    clock.advance(2 * DAY_MS);
    const first = await dropFiles('s');
    const second = await remove('s');
    expect(await at.retention.undo(first)).toMatchObject({ done: 0, skipped: 1 });
    expect(existsSync(at.parts.layout.sessionDir('s'))).toBe(false);
    expect(await at.retention.undo(second)).toMatchObject({ done: 1 });
    expect(await at.retention.undo(first)).toMatchObject({ done: 1 });
    expect(await problems()).toEqual([]);
    expect(dumps('s')).toBe(1);
  });

  it('never gives the files of one session to another of the same id', async () => {
    await aSession('s');
    clock.advance(2 * DAY_MS);
    const first = await dropFiles('s');
    await remove('s');
    await at.home.sessions.create({ id: 's', source: 'cli' });
    expect(await at.retention.undo(first)).toMatchObject({ done: 0, skipped: 1 });
    expect(existsSync(at.parts.layout.sessionDir('s'))).toBe(false);
    expect(await at.home.sessions.get('s')).toMatchObject({ transcriptBytes: 0, dumpBytes: 0 });
  });

  it('never takes the files of a session that began under the id of one that was being removed', async () => {
    await aSession('s');
    clock.advance(100 * DAY_MS);
    await crashAfterHide(await at.retention.plan({ kind: 'delete', ids: ['s'] }));
    const fresh = await at.home.sessions.create({ id: 's', source: 'cli' });
    await fresh.append({ role: 'user', content: 'anew' });
    await at.recover();
    expect(existsSync(at.parts.layout.transcript('s'))).toBe(true);
    expect((await problems()).filter((message) => message.includes('transcript'))).toEqual([]);
  });

  it('gives back the dumps of a session that was taken up before its removal was finished', async () => {
    await aSession('s');
    clock.advance(2 * DAY_MS);
    const plan = await at.retention.plan(FILES);
    await crashWithFilesMoved(plan);
    await append('s', 'more');
    await at.recover();
    expect(dumps('s')).toBe(1);
    expect(await problems()).toEqual([]);
  });

  it('applies a plan once, also after an undo', async () => {
    await aSession('s');
    const plan = await at.retention.plan({ kind: 'delete', ids: ['s'] });
    const { run } = await at.retention.apply(plan);
    await at.retention.undo(run.id);
    await expect(at.retention.apply(plan)).rejects.toThrow('This plan was applied already.');
    expect(await at.home.sessions.get('s')).toBeDefined();
    clock.advance(1);
    expect(await at.retention.apply(await at.retention.plan({ kind: 'delete', ids: ['s'] }))).toMatchObject({
      done: 1,
    });
  });

  describe('a conversation that was to go', () => {
    const ALL = ['one', 'two', 'three'];

    /** Three sessions of one conversation, and the plan to remove them. */
    async function aPlan(): Promise<Plan> {
      for (const [index, id] of ALL.entries()) {
        const parent = ALL[index - 1];
        const link = parent === undefined ? {} : { parentId: parent, childKind: 'continuation' as const };
        const session = await at.home.sessions.create({ id, source: 'cli', ...link });
        await session.append({ role: 'user', content: id });
        await session.end('done');
      }
      clock.advance(2 * DAY_MS);
      return at.retention.plan({ kind: 'delete', ids: ALL });
    }

    async function continueFrom(id: string): Promise<void> {
      const more = await at.home.sessions.create({ source: 'cli', parentId: id, childKind: 'continuation' });
      await more.end('done');
    }

    const left = async () => (await collect(at.home.sessions.list())).map(({ id }) => id).toSorted();

    it('goes as a whole while nothing happens to it', async () => {
      expect(await at.retention.apply(await aPlan())).toMatchObject({ done: 3, skipped: 0 });
      expect(await left()).toEqual([]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['its first part is pinned', async () => (await at.home.sessions.open('one')).pin()],
      ['its last part is pinned', async () => (await at.home.sessions.open('three')).pin()],
      ['its first part is taken up again', async () => (await at.home.sessions.open('one')).resume()],
      ['it is taken up again and ended', () => append('three', 'more')],
      ['its second part is taken up again', async () => (await at.home.sessions.open('two')).resume()],
      ['its first part is used and ended', () => append('one', 'more')],
      ['its first part is continued', () => continueFrom('one')],
      ['its last part is continued', () => continueFrom('three')],
    ])('stays as a whole when %s after the plan was made', async (_what, happen) => {
      const plan = await aPlan();
      await happen();
      const before = await left();
      expect(await at.retention.apply(plan)).toMatchObject({ done: 0, skipped: 3 });
      expect(await left()).toEqual(before);
    });

    it('goes although a branch of it was begun: children are judged on their own', async () => {
      const plan = await aPlan();
      await at.home.sessions.create({ id: 'branch', source: 'cli', parentId: 'two', childKind: 'branch' });
      expect(await at.retention.apply(plan)).toMatchObject({ done: 3, skipped: 0 });
      expect(await left()).toEqual(['branch']);
    });
  });

  it('leaves what is pinned or in use, whatever a plan says and whoever wrote it', async () => {
    await aSession('pinned');
    await (await at.home.sessions.open('pinned')).pin();
    await using other = await openEngineHome(path, { clock });
    await (await other.home.sessions.create({ id: 'used', source: 'cli' })).append({ role: 'user', content: 'hello' });
    clock.advance(DAY_MS);
    const plan = await at.retention.plan();
    const forged: Decision[] = [];
    for (const id of ['pinned', 'used']) {
      const facts = await at.parts.store.get(id);
      const fingerprint = facts === undefined ? '' : sessionFingerprint(facts);
      forged.push({ item: { kind: 'session', id }, sizeBytes: 1, action: 'remove', reason: 'retention', fingerprint });
    }
    const said: (string | undefined)[] = [];
    await at.retention.apply({ ...plan, decisions: forged }, { onOutcome: ({ detail }) => said.push(detail) });
    expect(said).toEqual(['It is pinned.', 'A process is using it.']);
    expect(existsSync(at.parts.layout.transcript('used'))).toBe(true);
  });

  it('finishes what a crash left before it does anything else', async () => {
    await aSession('a');
    await aSession('b');
    clock.advance(DAY_MS);
    const plan = await at.retention.plan({ kind: 'delete', ids: ['a'] });
    await crashAfterHide(plan);
    expect(await at.engine.journal.unfinished()).toEqual(['run']);
    await at.retention.apply(await at.retention.plan({ kind: 'delete', ids: ['b'] }));
    expect(await at.engine.journal.unfinished()).toEqual([]);
    expect(existsSync(at.parts.layout.sessionDir('a'))).toBe(false);
    expect(await problems()).toEqual([]);
  });

  it('does not count as done what another run took first', async () => {
    const orphan = join(path, 'sessions', 'ff', 'stray');
    mkdirSync(orphan, { recursive: true });
    writeFileSync(join(orphan, 'transcript.jsonl'), 'left behind\n');
    clock.set(Date.now() + 30 * DAY_MS);
    const one = await at.retention.plan();
    clock.advance(1);
    const two = await at.retention.plan();
    expect(await at.retention.apply(one)).toMatchObject({ done: 1, skipped: 0 });
    expect(await at.retention.apply(two)).toMatchObject({ done: 0, skipped: 1 });
  });

  it('leaves files alone that are not its own', async () => {
    mkdirSync(join(path, 'sessions', 'ff', 'mixed'), { recursive: true });
    for (const name of ['README', 'ff/notes.txt', 'ff/mixed/notes.txt', 'ff/mixed/transcript.jsonl'])
      writeFileSync(join(path, 'sessions', name), 'mine\n');
    clock.set(Date.now() + 30 * DAY_MS);
    const plan = await at.retention.plan();
    expect(plan.decisions.filter(({ action }) => action !== 'keep')).toEqual([]);
  });

  /** Leaves behind what a process does that dies between hiding a session and moving its files. */
  async function crashAfterHide(plan: Plan): Promise<void> {
    const { journal } = at.engine;
    const decision = plan.decisions.find(({ action }) => action !== 'keep');
    if (decision === undefined || decision.action === 'keep') throw new Error('nothing to remove');
    const { item, action, reason, fingerprint, sizeBytes } = decision;
    const intended = { number: 1, item, action, reason, fingerprint, sizeBytes, skipsTrash: false };
    await journal.begin({ id: 'run', request: plan.request, startedAt: clock.now(), expiresAt: clock.now() });
    await journal.intend('run', [intended]);
    const left = { take: () => undefined, bringBack: () => undefined, letGo: () => undefined };
    await at.parts.store.trash.hide('run', [{ number: 1, id: item.id, fingerprint }], { files: left, deadHolders: [] });
  }

  /** Leaves behind what a process does that dies between moving the files of a session and saying so in its row. */
  async function crashWithFilesMoved(plan: Plan): Promise<void> {
    const { store } = at.parts;
    const takeFiles: SessionTrash['takeFiles'] = (run, request, options) => {
      const dies = (taken: TrashRequest) => {
        options.files.take(taken);
        throw new Error('dead');
      };
      return store.trash.takeFiles(run, request, { ...options, files: { ...options.files, take: dies } });
    };
    const trash = { ...store.trash, takeFiles };
    const dead = new Proxy(store, { get: (target, key) => (key === 'trash' ? trash : bound(target, key)) });
    await expect(new Retention({ ...at.parts, store: dead }).apply(plan)).rejects.toThrow('dead');
  }
});

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
}
