import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { driverOf } from '../../src/app/driver-of.ts';
import type { Plan } from '../../src/core/retention/plan.ts';
import type { Journal } from '../../src/core/retention/run.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { type SessionTrash, sessionFingerprint } from '../../src/core/stores/session-trash.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { applyPlan } from '../../src/engine/apply-plan.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { openNativeTrash } from '../../src/homes/native/native-trash.ts';
import { removeTree } from '../../src/platform/files/remove-tree.ts';
import { uuidV7 } from '../../src/platform/machine/uuid-v7.ts';
import { manualClock } from '../support/clock.ts';
import { checkState, type Expected, takeBaseline } from '../support/engine-checker.ts';
import { Faults } from '../support/engine-faults.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { buildScene, copyScene, RUN_AT } from '../support/engine-scene.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { firstDifference, homeState } from '../support/home-state.ts';

interface Planted {
  readonly trash?: (real: SessionTrash, store: SessionStore) => Partial<SessionTrash>;
  readonly journal?: (real: Journal) => Partial<Journal>;
  readonly plan?: (plan: Plan) => Plan;
  /** Done between plan and apply. */
  readonly meanwhile?: (at: EngineHome) => Promise<unknown>;
  readonly held?: readonly string[];
  readonly afterwards?: (at: EngineHome, run: string) => Promise<unknown>;
}

/** What the checker says of a run with a bug in one of the parts that the engine trusts. */
async function findings({ trash, journal, plan, meanwhile, held = [], afterwards }: Planted): Promise<string> {
  const directory = tempDirInMemory();
  await buildScene(join(directory, 'built'));
  const scene = join(directory, 'scene');
  const clock = manualClock(RUN_AT);
  const wrap = (store: SessionStore) =>
    withParts(store, {
      trash: { ...store.trash, ...trash?.(store.trash, store) },
      journal: { ...store.journal, ...journal?.(store.journal) },
    });
  await using at = await openEngineHome(copyScene(join(directory, 'built'), scene), { clock, wrap });
  const approved = await at.retention.plan();
  await meanwhile?.(at);
  const expected: Expected = { baseline: await takeBaseline(scene, at), plans: [approved], clock, held };
  const run = plan === undefined ? (await at.retention.apply(approved)).run.id : await carryOut(at, plan(approved));
  await afterwards?.(at, run);
  return (await checkState(at, expected)).join('\n');
}

/** Hands a plan to the engine itself: the home would not take one that it does not decide. */
async function carryOut({ parts }: EngineHome, plan: Plan): Promise<string> {
  const { store, clock } = parts;
  const runId = uuidV7(clock.now());
  const engine = { driver: driverOf(parts), journal: store.journal, clock };
  for await (const _ of applyPlan(engine, plan, { runId, trashGraceMs: DAY_MS }));
  return runId;
}

describe('the checker of the engine tests', () => {
  it('finds nothing wrong with a run that goes well', async () => {
    expect(await findings({})).toBe('');
  });

  it('notices a session that is removed although it changed since the plan was made', async () => {
    const found = await findings({
      meanwhile: async ({ home }) => (await home.sessions.open('a')).tag({ add: ['keep'] }),
      held: ['a'],
      trash: (real, store) => ({
        hide: async (run, requests, options) => {
          const unchecked = await Promise.all(
            requests.map(async (request) => ({ ...request, fingerprint: await fingerprintNow(store, request.id) })),
          );
          return real.hide(run, unchecked, options);
        },
      }),
    });
    expect(found).toContain('a was held and is gone');
  });

  it('notices a hold that is dropped', async () => {
    const found = await findings({
      plan: (plan) => ({
        ...plan,
        decisions: plan.decisions.map((each) =>
          each.item.id === 'a_b' ? { ...each, action: 'remove', reason: 'retention', fingerprint: '' } : each,
        ),
      }),
    });
    expect(found).toContain('not planned: session a_b remove');
  });

  it('notices files that are purged before the journal says so', async () => {
    const found = await findings({
      journal: (real) => ({
        mark: (run, marks) =>
          real.mark(
            run,
            marks.filter(({ state }) => state !== 'purging' && state !== 'purged'),
          ),
      }),
      afterwards: (at, run) => at.retention.emptyTrash(run),
    });
    expect(found).toContain('in the trash is wrong');
    expect(found).toContain('hidden rows are');
  });

  it('notices an id that is taken for the beginning of another', async () => {
    const found = await findings({
      trash: (real, store) => ({
        hide: async (run, requests, options) => {
          // What an id that is used as a pattern would do: `old` takes `old tagged` along.
          const files = { ...options.files, take: () => undefined };
          const fingerprint = await fingerprintNow(store, 'old tagged');
          await real.hide(run, [{ number: 1000, id: 'old tagged', fingerprint }], { ...options, files });
          return real.hide(run, requests, options);
        },
      }),
    });
    expect(found).toContain('old tagged is gone, and no run says so');
  });

  it('notices files that are moved for a session that stays', async () => {
    const found = await findings({
      afterwards: async ({ engine, parts: { layout } }, run) => {
        for await (const item of engine.journal.items(run))
          if (item.action === 'drop-dumps') openNativeTrash(layout, run).take({ ...item, action: 'drop-files' });
      },
    });
    expect(found).toContain('transcript.jsonl is gone or changed');
  });
});

describe('the comparison of two states of a home', () => {
  it.each<[string, string, (home: string) => void]>([
    ['a row', 'meta ["planted","1"]', inDatabase(`INSERT INTO meta VALUES ('planted', '1')`)],
    ['what is indexed', 'indexed ', inDatabase('UPDATE indexed SET up_to = up_to - 1')],
    ['the search index', 'message_words_', inDatabase(`INSERT INTO message_words (message_words) VALUES ('optimize')`)],
    ['a mode', 'home/sessions 40750', (home) => chmodSync(join(home, 'sessions'), 0o750)],
    ['a folder', 'home/planted 40', (home) => mkdirSync(join(home, 'planted'))],
    ['a file', 'outside/canary.txt', (home) => writeFileSync(join(home, '../outside/canary.txt'), 'Untouched\n')],
  ])('names %s that differs, and nothing when nothing does', async (_, name, change) => {
    const directory = tempDirInMemory();
    await buildScene(directory);
    const path = join(directory, 'home');
    await using at = await openEngineHome(path, { clock: manualClock(RUN_AT) });
    const before = await homeState(directory, at);
    expect(firstDifference(before, await homeState(directory, at))).toBeUndefined();
    change(path);
    expect(firstDifference(before, await homeState(directory, at))).toContain(name);
  });
});

it('changes nothing after a death, not even by a removal that was under way beside it', async () => {
  const directory = tempDirInMemory();
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  writeFileSync(first, '');
  mkdirSync(second);
  for (let number = 0; number < 60; number += 1) writeFileSync(join(second, String(number)), '');
  const faults = new Faults(directory, { number: 1, when: 'after' });
  let removals: readonly Promise<number>[] = [];
  const died = await faults.during(() => {
    removals = [first, second].map((path) => removeTree(directory, path));
    return Promise.all(removals);
  });
  await Promise.allSettled(removals);
  expect({ died, left: readdirSync(directory) }).toEqual({ died: true, left: ['second'] });
});

/** What a connection beside the home's own does to it. */
function inDatabase(sql: string): (home: string) => void {
  return (home) => {
    const db = new BetterSqlite3(nativeLayout(home).database);
    db.exec(sql);
    db.close();
  };
}

async function fingerprintNow(store: SessionStore, id: string): Promise<string> {
  const facts = await store.get(id);
  return facts === undefined ? '' : sessionFingerprint(facts);
}

function withParts(store: SessionStore, parts: Pick<SessionStore, 'trash' | 'journal'>): SessionStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'trash' || key === 'journal') return parts[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
