import { cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan, PlanRequest } from '../../src/core/retention/plan.ts';
import { DAY_MS, MINUTE_MS } from '../../src/core/time.ts';
import { type ManualClock, manualClock, NOW } from './clock.ts';
import { type EngineHome, openEngineHome } from './engine-home.ts';

/** When the runs of a scene happen. */
export const RUN_AT = NOW + 100 * DAY_MS;
export const FILES_REQUEST: PlanRequest = { kind: 'prune', filter: { source: 'cli' }, part: 'files' };

export const ARCHIVE_REQUEST: PlanRequest = { kind: 'archive', filter: { source: 'cli' } };

const STRAY = 'sessions/ff/stray';
const DEBRIS = `sessions/ff/broken/.tmp-1-${'0'.repeat(16)}`;

/** A small home in `DIR/home` with a session for every rule and hold, and a tree beside it that nothing may touch. */
export async function buildScene(directory: string): Promise<void> {
  const clock = manualClock(NOW);
  const path = join(directory, 'home');
  await using at = await openEngineHome(path, { clock });
  await aSession(at, 'a', { dumps: 2 });
  await aSession(at, 'a_b', { dumps: 1, pinned: true });
  await aSession(at, 'old', { messages: 12 });
  await aSession(at, 'old child', { dumps: 1, parentId: 'old', childKind: 'branch' });
  await aSession(at, 'first', { dumps: 1 });
  await aSession(at, 'next', { parentId: 'first', childKind: 'continuation' });
  await aSession(at, 'old tagged', { tags: ['keep'] });
  await aSession(at, 'empty', { messages: 0 });
  clock.advance(60 * DAY_MS);
  await aSession(at, 'recent', { dumps: 1 });
  clock.set(RUN_AT - MINUTE_MS);
  await aSession(at, 'in use', { open: true });
  for (const name of [STRAY, 'sessions/ff/broken']) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(path, STRAY, 'transcript.jsonl'), 'left behind\n', { mode: 0o600 });
  writeFileSync(join(path, DEBRIS), 'half', { mode: 0o600 });
  mkdirSync(join(directory, 'outside'));
  writeFileSync(join(directory, 'outside', 'canary.txt'), 'untouched\n');
}

/** A copy of a closed scene. Copies of strays are as old as the strays. */
export function copyScene(from: string, to: string): string {
  cpSync(from, to, { recursive: true });
  const longAgo = NOW / 1000 - 9e6;
  for (const name of [`${STRAY}/transcript.jsonl`, STRAY, DEBRIS, 'sessions/ff/broken']) {
    try {
      utimesSync(join(to, 'home', name), longAgo, longAgo);
    } catch {
      // Not there any more in scenes that begin after a run.
    }
  }
  return join(to, 'home');
}

export interface Scenario {
  readonly name: string;
  /** Brings a fresh scene to where the scenario begins. */
  readonly prepare?: (at: EngineHome) => Promise<unknown>;
  /** How much later than `RUN_AT` it happens. */
  readonly laterMs?: number;
  /** Made before anything can fail. */
  readonly plan?: (at: EngineHome) => Promise<Plan>;
  readonly act: (at: EngineHome, plan: Plan | undefined) => Promise<{ readonly skipped: number }>;
}

const applyRules = async (at: EngineHome) => at.retention.apply(await at.retention.plan());
const dropFiles = async (at: EngineHome) => at.retention.apply(await at.retention.plan(FILES_REQUEST));
const archive = async (at: EngineHome) => at.retention.apply(await at.retention.plan(ARCHIVE_REQUEST));
const planArchiveRemoval = (at: EngineHome) =>
  at.retention.plan({ kind: 'delete', ids: ['a', 'old', 'first', 'next'] });
const apply: Scenario['act'] = (at, plan) => at.retention.apply(plan as Plan);

async function newestRun({ retention }: EngineHome): Promise<string> {
  for await (const { id } of retention.runs()) return id;
  throw new Error('there is no run');
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'apply the rules', plan: (at) => at.retention.plan(), act: apply },
  { name: 'apply a drop of files', plan: (at) => at.retention.plan(FILES_REQUEST), act: apply },
  { name: 'apply without trash', plan: async (at) => withoutTrash(await at.retention.plan()), act: apply },
  {
    name: 'undo the rules',
    prepare: applyRules,
    act: async (at) => at.retention.undo(await newestRun(at)),
  },
  {
    name: 'undo a drop of files',
    prepare: dropFiles,
    act: async (at) => at.retention.undo(await newestRun(at)),
  },
  {
    name: 'empty the trash',
    prepare: applyRules,
    act: async (at) => at.retention.emptyTrash(await newestRun(at)),
  },
  {
    name: 'purge expired trash',
    prepare: dropFiles,
    laterMs: 8 * DAY_MS,
    plan: (at) => at.retention.plan(),
    act: apply,
  },
  { name: 'apply an archive', plan: (at) => at.retention.plan(ARCHIVE_REQUEST), act: apply },
  {
    name: 'undo an archive',
    prepare: archive,
    act: async (at) => at.retention.undo(await newestRun(at)),
  },
  {
    name: 'apply a removal of archives',
    prepare: archive,
    laterMs: MINUTE_MS,
    plan: planArchiveRemoval,
    act: apply,
  },
  {
    name: 'remove archives for good',
    prepare: archive,
    laterMs: MINUTE_MS,
    plan: planArchiveRemoval,
    act: async (at, plan) => at.retention.emptyTrash((await at.retention.apply(plan as Plan)).run.id),
  },
];

export function clockOf({ laterMs = 0 }: Scenario): ManualClock {
  return manualClock(RUN_AT + laterMs);
}

/** As if space were short: everything goes for good in the same run. */
function withoutTrash(plan: Plan): Plan {
  const decisions = plan.decisions.map((each) =>
    each.action === 'keep' ? each : { ...each, skipsTrash: true as const },
  );
  return { ...plan, decisions };
}

interface SessionShape {
  readonly messages?: number;
  readonly dumps?: number;
  readonly pinned?: boolean;
  readonly open?: boolean;
  readonly tags?: readonly string[];
  readonly parentId?: string;
  readonly childKind?: 'branch' | 'continuation';
}

async function aSession({ home }: EngineHome, id: string, shape: SessionShape): Promise<void> {
  const { messages = 6, dumps = 0, pinned = false, open = false, ...rest } = shape;
  const session = await home.sessions.create({ id, source: 'cli', title: `about ${id}`, ...rest });
  await session.appendAll(
    Array.from({ length: messages }, (_, index) => ({ role: 'user' as const, content: `${id} says word${index}` })),
  );
  for (let count = 0; count < dumps; count += 1)
    await session.dump({ url: 'https://example.com', body: { id, count } });
  await session.recordUsage({ model: 'm', inputTokens: 10, costUsd: 0.5 });
  if (pinned) await session.pin();
  if (!open) await session.end('done');
}
