import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/app/config/config-defaults.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { bundlesIn, expectPaired } from '../support/archive-objects.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { type Fault, S3Server } from '../support/s3-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp-dir.ts';

let server: S3Server;
let at: EngineHome;
const clock = manualClock(NOW);
let made = 0;

const { sessions, archive, disk } = DEFAULT_CONFIG;
const config = {
  ...DEFAULT_CONFIG,
  sessions: { ...sessions, keep_last: 'never' as const },
  archive: { ...archive, retention_days: 30 },
  disk: { ...disk, ballast_mb: 'never' as const },
};

beforeEach(async () => {
  clock.set(NOW);
  server = await S3Server.forTest();
  await open(join(tempDir(), 'home'));
  onTestFinished(() => at[Symbol.asyncDispose]());
});

async function open(path: string): Promise<void> {
  const store = server.store({ timeoutMs: 400, partBytes: 64 * 1024 });
  at = await openEngineHome(path, { clock, config, objects: { cacheBytes: 1, open: () => Promise.resolve(store) } });
}

async function add(id: string): Promise<void> {
  const session = await at.home.sessions.create({ id, source: 'cli' });
  await session.appendAll(
    Array.from({ length: 30 }, (_, n) => user(`${id} says ${n} ${randomBytes(6000 * (n % 2)).toString('hex')}`)),
  );
  await session.end('done');
}

/** A new session that may be archived. */
async function addOld(): Promise<string> {
  const id = `session-${(made += 1)}`;
  await add(id);
  clock.advance(2 * DAY_MS);
  return id;
}

const toArchive = async () => {
  clock.advance(1000);
  return at.home.apply(await at.home.plan({ kind: 'archive', filter: {}, before: clock.now() }));
};
const restore = async (id: string) => (await at.home.retention()).restore([id]);
const remove = async (id: string) => {
  const { run } = await at.home.apply(await at.home.plan({ kind: 'delete', ids: [id] }));
  await (await at.home.retention()).emptyTrash(run.id);
};

/** Live with all that was said, or archived. */
async function stateOf(id: string): Promise<'live' | 'archived' | 'gone'> {
  const facts = await at.home.sessions.get(id);
  if (facts === undefined) return 'gone';
  if (facts.archivedAt !== undefined) return 'archived';
  const said = await collect((await at.home.sessions.open(id)).messages());
  expect(
    said.map(({ content }) => (typeof content === 'string' ? content : '').split(' ').slice(0, 3).join(' ')),
  ).toEqual(Array.from({ length: 30 }, (_, n) => `${id} says ${n}`));
  return 'live';
}

/** All of them take minutes: otherwise each way to fail meets every fourth call, and each call some of the ways. */
const STEP = process.env['COPPICE_TORTURE'] === undefined ? 4 : 1;

function* callsFor(fault: Fault, count: number): Generator<number> {
  for (let call = 1 + (ONCE.indexOf(fault) % STEP); call <= count; call += STEP) yield call;
}

const ONCE: readonly Fault[] = [
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 503 },
  { kind: 'answer', status: 412 },
  { kind: 'silence' },
  { kind: 'lost' },
  { kind: 'truncated' },
  { kind: 'wrong bytes' },
];

/** How many calls an act makes when nothing is wrong. */
async function callsOf(act: () => Promise<unknown>): Promise<number> {
  const before = server.calls.length;
  await act();
  return server.calls.length - before;
}

/** Fails one call of what follows, or every call from that one on. */
function failAt(number: number, fault: Fault, { forGood = false } = {}): void {
  const wanted = server.calls.length + number;
  server.faultAt = (call) => (call.number === wanted || (forGood && call.number > wanted) ? fault : undefined);
}

function heal(): void {
  server.faultAt = () => undefined;
}

describe('archived sessions in a bucket', () => {
  it('stay whole whichever call fails once while they are archived, in whatever way', async () => {
    await addOld();
    await toArchive();
    await addOld();
    const count = await callsOf(toArchive);
    expect(count).toBeGreaterThan(8);
    for (const fault of ONCE)
      for (const call of callsFor(fault, count)) {
        const id = await addOld();
        failAt(call, fault);
        await toArchive();
        heal();
        const first = await stateOf(id);
        if (first === 'live') expect(await toArchive(), `${fault.kind} at ${call}`).toMatchObject({ done: 1 });
        await restore(id);
        expect(await stateOf(id), `${fault.kind} at ${call}`).toBe('live');
        await remove(id);
      }
    await (await at.home.retention()).settle();
    await expectPaired(server.store());
    expect(server.uploads.size).toBe(0);
  });

  it('stay whole whichever call fails once while they are restored, in whatever way', async () => {
    const id = await addOld();
    await toArchive();
    const count = await callsOf(() => restore(id));
    expect(count).toBeGreaterThan(3);
    for (const fault of ONCE)
      for (const call of callsFor(fault, count)) {
        clock.advance(1000);
        await toArchive();
        failAt(call, fault);
        await restore(id);
        heal();
        if ((await stateOf(id)) === 'archived') await restore(id);
        expect(await stateOf(id), `${fault.kind} at ${call}`).toBe('live');
      }
    await expectPaired(server.store());
  });

  it('are gone in the end whichever call fails once, or from then on, when they expire', async () => {
    await addOld();
    await toArchive();
    const count = 12;
    for (const forGood of [false, true])
      for (const fault of ONCE.filter(({ kind }) => !forGood || kind === 'lost'))
        for (const call of callsFor(fault, count)) {
          const id = await addOld();
          await toArchive();
          failAt(call, fault, { forGood });
          await remove(id);
          heal();
          expect(await stateOf(id)).toBe('gone');
        }
    expect(server.uploads.size).toBe(0);
    // The next one settles what the last one could not.
    await addOld();
    await toArchive();
    const used = await at.parts.store.archive.bundles();
    expect(await bundlesIn(server.store())).toHaveLength(2 * used.length);
    await expectPaired(server.store());
  });

  it('stay in the home while the server is away, from whichever call on', async () => {
    await addOld();
    const count = await callsOf(toArchive);
    for (let call = 1; call <= count; call += 1) {
      const id = await addOld();
      failAt(call, { kind: 'lost' }, { forGood: true });
      await toArchive();
      const state = await stateOf(id);
      heal();
      if (state === 'live') expect(await toArchive()).toMatchObject({ done: 1 });
      await restore(id);
      expect(await stateOf(id), `from ${call} on`).toBe('live');
      await remove(id);
    }
    await addOld();
    await toArchive();
    await expectPaired(server.store());
    expect(await bundlesIn(server.store())).toHaveLength(2 * (await at.parts.store.archive.bundles()).length);
  });

  it.each([1, 2])('agree with a plain model over a random walk with faults (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const ids: string[] = [];
    for (let step = 0; step < 30; step += 1) {
      if (random.below(10) < 6) failAt(1 + random.below(12), random.one(ONCE), { forGood: random.below(10) < 3 });
      const act = random.below(100);
      const id = ids.length === 0 ? undefined : random.one(ids);
      if (act < 35 || id === undefined) ids.push(await addOld());
      else if (act < 65) await toArchive();
      else if (act < 85) await restore(id).catch(() => undefined);
      else if ((await stateOf(id)) !== 'gone') await remove(id);
      heal();
      clock.advance(1000);
    }
    for (const id of ids) if ((await stateOf(id)) === 'archived') await restore(id);
    expect(ids.length).toBeGreaterThan(5);
    await addOld();
    await toArchive();
    const used = await at.parts.store.archive.bundles();
    expect(await bundlesIn(server.store())).toHaveLength(2 * used.length);
    expect((await collect(at.home.check())).flatMap(({ problems }) => problems)).toEqual([]);
  });
});
