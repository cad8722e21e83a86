import { isDeepStrictEqual } from 'node:util';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { checkProblems } from './collect.ts';
import { contentFor, tokenOf } from './crash-content.js';
import { openNativeStore } from './native-store.ts';
import { transcriptDifferences } from './transcript-differences.ts';

/** What the writer said: each operation before it began, and after it was done. */
export type WriterEvent =
  | {
      readonly event: 'try';
      readonly number: number;
      readonly id: string;
      readonly kind: 'create' | 'append' | 'usage' | 'end' | 'resume';
      readonly tokens?: readonly string[];
    }
  | { readonly event: 'ok'; readonly number: number; readonly firstSeq?: number; readonly problems: readonly string[] };

type Attempt = Extract<WriterEvent, { event: 'try' }>;

/** What must be in one home, known from what its writers said before they died. */
export interface CrashChecker {
  /** Opens the home after a death and returns everything that is wrong with it. */
  check(events: readonly WriterEvent[]): Promise<string[]>;
}

export function createCrashChecker(root: string): CrashChecker {
  const layout = nativeLayout(root);
  /** Per session: the tokens that must be there, in order, and the usage that was acknowledged at least and at most. */
  const known = new Map<string, { tokens: string[]; usageMin: number; usageMax: number }>();
  let deaths = 0;

  return {
    async check(events) {
      deaths += 1;
      const wrong: string[] = [];
      await using store = await openNativeStore(root);
      for (const problem of await checkProblems(store)) wrong.push(`check: ${problem.kind}: ${problem.message}`);
      for (const id of ['one', 'two']) {
        const attempts = events.filter((event): event is Attempt => event.event === 'try' && event.id === id);
        const acknowledged = new Map(
          events.flatMap((event) => (event.event === 'ok' ? [[event.number, event] as const] : [])),
        );
        const facts = await store.get(id);
        if (facts === undefined) {
          if (known.has(id) || attempts.some(({ number }) => acknowledged.has(number))) wrong.push(`${id} is gone`);
          continue;
        }
        const before = known.get(id) ?? { tokens: [], usageMin: 0, usageMax: 0 };
        const stored = await storedTokens(store, id, wrong);
        wrong.push(...compareTokens({ id, before: before.tokens, stored, attempts, acknowledged }));
        const usage = attempts.filter(({ kind }) => kind === 'usage');
        const usageMin = before.usageMin + usage.filter(({ number }) => acknowledged.has(number)).length;
        const usageMax = before.usageMax + usage.length;
        wrong.push(...(await compareUsage(store, id, { usageMin, usageMax })));
        const counted = facts.usage.inputTokens;
        if (!allowedStates(attempts, acknowledged).has(facts.endedAt !== undefined))
          wrong.push(`${id}: ended is wrong`);

        const token = `check.${deaths}`;
        if (facts.endedAt !== undefined) await store.resume(id);
        await store.append(id, [{ role: 'user', content: contentFor(token, 10) }]);
        wrong.push(...(await transcriptDifferences(store, id, layout.transcript(id))).map((text) => `${id}: ${text}`));
        known.set(id, { tokens: [...stored, token], usageMin: counted, usageMax: counted });
      }
      return wrong;
    },
  };
}

async function storedTokens(store: SessionStore, id: string, wrong: string[]): Promise<string[]> {
  const tokens: string[] = [];
  for await (const { seq, content } of store.messages(id)) {
    const token = tokenOf(content);
    if (token === undefined) wrong.push(`${id}: message ${seq} is damaged`);
    if (seq !== tokens.length + 1) wrong.push(`${id}: message ${tokens.length + 1} has the number ${seq}`);
    tokens.push(token ?? '');
  }
  return tokens;
}

interface Comparison {
  readonly id: string;
  readonly before: readonly string[];
  readonly stored: readonly string[];
  readonly attempts: readonly Attempt[];
  readonly acknowledged: ReadonlyMap<number, Extract<WriterEvent, { event: 'ok' }>>;
}

/** What was there stays; then come all acknowledged batches and perhaps some that were under way, whole and in order. */
function compareTokens({ id, before, stored, attempts, acknowledged }: Comparison): string[] {
  const wrong: string[] = [];
  if (!isDeepStrictEqual(stored.slice(0, before.length), before)) wrong.push(`${id}: earlier messages changed`);
  let next = before.length;
  for (const { number, tokens } of attempts) {
    if (tokens === undefined) continue;
    const there = isDeepStrictEqual(stored.slice(next, next + tokens.length), tokens);
    const ok = acknowledged.get(number);
    if (ok !== undefined && !there) wrong.push(`${id}: ${tokens.join()} was acknowledged and is not there`);
    if (ok !== undefined && ok.firstSeq !== next + 1)
      wrong.push(`${id}: ${tokens.join()} was said to be ${ok.firstSeq}`);
    if (there) next += tokens.length;
  }
  if (next !== stored.length) wrong.push(`${id}: ${stored.length - next} messages that nobody wrote, or wrote twice`);
  if (new Set(stored).size !== stored.length) wrong.push(`${id}: a message is there twice`);
  return wrong;
}

async function compareUsage(
  store: SessionStore,
  id: string,
  limits: { usageMin: number; usageMax: number },
): Promise<string[]> {
  const { usage } = (await store.get(id)) ?? {};
  const counted = usage?.inputTokens ?? 0;
  const wrong: string[] = [];
  if (counted < limits.usageMin || counted > limits.usageMax) {
    wrong.push(`${id}: usage ${counted} is not between ${limits.usageMin} and ${limits.usageMax}`);
  }
  if (Math.round((usage?.costUsd ?? 0) * 10) !== counted) wrong.push(`${id}: the cost does not fit the tokens`);
  const byModel = (await store.usageByModel(id)).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  if (byModel !== counted) wrong.push(`${id}: usage per model does not add up`);
  return wrong;
}

/** Open or ended: what the last acknowledged change left, or any change under way since. Each round begins open. */
function allowedStates(attempts: readonly Attempt[], acknowledged: ReadonlyMap<number, unknown>): ReadonlySet<boolean> {
  let states = new Set([false]);
  for (const { kind, number } of attempts) {
    if (kind !== 'end' && kind !== 'resume') continue;
    const ended = kind === 'end';
    states = acknowledged.has(number) ? new Set([ended]) : states.add(ended);
  }
  return states;
}
