import assert from 'node:assert/strict';
import type { Inventory } from '../../core/retention/inventory.ts';
import type { Decision, PlanRequest } from '../../core/retention/plan.ts';
import type { Policy } from '../../core/retention/policy.ts';
import { LIMIT_RULES, type LimitRule } from '../../core/retention/session-settings.ts';
import type { Use } from '../../core/sessions/in-use.ts';
import { DAY_MS } from '../../core/time.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import type { KitCase } from '../kit-case.ts';
import { allSkipped } from './outcomes.ts';
import { ALL_TRAITS, type HomePlace, type HomeTraits, itemsFor, RUN, TAKING } from './tested-home.ts';

/** One meaning of "in use": whatever a home knows it by, the same sessions stay, and for the same reasons. */
export function homeUseCases(traits: HomeTraits = ALL_TRAITS): readonly KitCase<HomePlace>[] {
  const asked = Object.keys(REQUESTS).filter((each) => traits.parts.length > 0 || each !== FILES_ONLY);
  return traits.uses.flatMap((use) => [
    ...asked.map((each) => stays(traits, use, each)),
    ...(traits.conversations ? [keepsConversation(use)] : []),
    isLeftAlone(traits, use),
  ]);
}

const FILES_ONLY = 'prune --files-only';

/** Everything that lets go of sessions, so strict that nothing but a hold stands in its way. */
const REQUESTS: Readonly<Record<string, (inventory: Inventory, id: string) => PlanRequest>> = {
  policy: () => ({ kind: 'policy' }),
  prune: ({ scannedAt }) => ({ kind: 'prune', filter: {}, before: scannedAt, part: 'all' }),
  [FILES_ONLY]: ({ scannedAt }) => ({ kind: 'prune', filter: {}, before: scannedAt, part: 'files' }),
  gc: () => ({ kind: 'gc', filter: {}, emptyMs: 1, trivialMs: 1, trivialMaxMessages: 1e9 }),
  archive: ({ scannedAt }) => ({ kind: 'archive', filter: {}, before: scannedAt }),
  'its own name': (_, id) => ({ kind: 'delete', ids: [id] }),
};

function stays(traits: HomeTraits, use: Use, asked: string): KitCase<HomePlace> {
  return {
    name: `keeps a session in use (${use}) under ${asked}, which would take it otherwise`,
    async run({ make }) {
      await using home = await make();
      const free = await home.driver.scan();
      const id = aloneIn(free, home.removable, traits);
      assert.notEqual(fateOf(free, id, asked).action, 'keep');
      await home.use(id, use);
      const { action, reason } = fateOf(await home.driver.scan(), id, asked);
      assert.deepEqual([action, reason], ['keep', use]);
    },
  };
}

function keepsConversation(use: Use): KitCase<HomePlace> {
  return {
    name: `keeps the rest of the conversation of a session in use (${use})`,
    async run({ make }) {
      await using home = await make();
      const { sessions } = await home.driver.scan();
      const last = sessions.find(({ id, childKind }) => home.removable.includes(id) && childKind === 'continuation');
      const first = last?.parentId ?? '';
      await home.use(last?.id ?? '', use);
      assert.equal(fateOf(await home.driver.scan(), first, 'policy').reason, 'lineage-active');
      // Not even a plan that knows of the use is carried out.
      const items = await itemsFor(home, [first], 'remove');
      allSkipped(await home.driver.discard(RUN, items), items);
    },
  };
}

function isLeftAlone(traits: HomeTraits, use: Use): KitCase<HomePlace> {
  return {
    name: `leaves a session alone that came into use (${use}) after its removal was planned`,
    async run({ make }) {
      for (const action of TAKING) {
        await using home = await make();
        const id = aloneIn(await home.driver.scan(), home.removable, traits);
        const items = await itemsFor(home, [id], action);
        await home.use(id, use);
        const before = await home.dump();
        allSkipped(await home.driver.discard(RUN, items), items);
        assert.deepEqual(await home.dump(), before);
      }
    },
  };
}

/** A session that is a conversation by itself and has all that can go from one that stays. */
function aloneIn({ sessions }: Inventory, removable: readonly string[], { parts }: HomeTraits): string {
  const continued = new Set(sessions.map(({ parentId, childKind }) => childKind === 'continuation' && parentId));
  const found = sessions.find(({ id, childKind, bytes }) => {
    const { transcript, dumps, other } = bytes;
    const hasAll = parts.every((part) => (part === 'drop-dumps' ? dumps > 0 : transcript + dumps + other > 0));
    return removable.includes(id) && childKind === undefined && !continued.has(id) && hasAll;
  });
  if (found === undefined) throw new Error('No removable session stands by itself and has all that can go from it.');
  return found.id;
}

function fateOf(inventory: Inventory, id: string, asked: string): Decision {
  const request = REQUESTS[asked]?.(inventory, id) ?? { kind: 'policy' };
  const { decisions } = planRetention(inventory, { policy: STRICTEST, now: inventory.scannedAt, request });
  const found = decisions.find(({ item }) => item.kind === 'session' && item.id === id);
  if (found === undefined) throw new Error(`There is no decision about ${id}.`);
  return found;
}

const NO_LIMITS = Object.fromEntries(LIMIT_RULES.map(({ rule }) => [rule, undefined])) as Record<LimitRule, undefined>;

const STRICTEST: Policy = {
  sessions: {
    ...NO_LIMITS,
    minAgeMs: 0,
    abandonAfterMs: DAY_MS,
    retentionMs: DAY_MS,
    trivialMaxMessages: 5,
    keepLast: 'never',
    keepTags: [],
    afterReset: 'remove',
  },
  bySource: {},
  dumps: {},
  archive: {},
  checkpoints: {},
  disk: { forGood: true, lowWater: 0.85, bySource: {} },
  trash: {},
  guard: { maxItems: 50, maxPart: 0.2, noticeMs: 3 * DAY_MS },
};
