import { expect } from 'vitest';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import type { Item } from '../core/retention/inventory.ts';
import type { ItemOutcome, RunAction, RunItem } from '../core/retention/run.ts';
import type { Use } from '../core/sessions/in-use.ts';

/** A home to try a driver on, with a few of everything in it. */
export interface TestedHome extends AsyncDisposable {
  readonly driver: HomeDriver;
  /** Sessions that nothing holds, later parts of a conversation first. */
  readonly removable: readonly string[];
  /** Sessions that are in use or pinned. */
  readonly held: readonly string[];
  /** Everything in the home that is not Coppice's own, in a form that can be compared: rows, search results, files. */
  dump(): Promise<unknown>;
  /** Changes a session the way its owner would. */
  change(id: string): Promise<void>;
  /** Brings a session of which nothing was in use into this use, the way its owner would. */
  use(id: string, use: Use): Promise<void>;
  /** Damage that only a check of the whole home finds. */
  problems(): Promise<readonly string[]>;
  /**
   * Carries out a step that dies at the n-th change it makes to anything, as a process does. False when it has fewer changes.
   * What it leaves is what the next process finds.
   */
  dieAt(change: number, step: (driver: HomeDriver) => Promise<unknown>): Promise<boolean>;
}

export type MakeHome = () => Promise<TestedHome>;

export const RUN = '01900000-0000-7000-8000-000000000001';
export const LATER_RUN = '01900000-0000-7000-8000-000000000002';

/** There are many ways to die. */
export const CRASHES_MS = 300_000;

export async function sessionIds({ driver }: TestedHome): Promise<string[]> {
  return (await driver.scan()).sessions.map(({ id }) => id);
}

/** Everything that may go: the removable sessions, and what no session owns. */
export async function removals(home: TestedHome, action: RunAction = 'remove'): Promise<RunItem[]> {
  const { strays } = await home.driver.scan();
  const items = await itemsFor(home, home.removable, action);
  const others = action === 'remove' ? strays : [];
  return [...items, ...others.map((item, index) => toItem(item, items.length + index + 1, action))];
}

export async function itemsFor(
  home: Pick<TestedHome, 'driver'>,
  ids: readonly string[],
  action: RunAction,
): Promise<RunItem[]> {
  const { sessions } = await home.driver.scan();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return ids.map((id, index) => {
    const session = byId.get(id);
    if (session === undefined) throw new Error(`no session ${id}`);
    return toItem(session, index + 1, action);
  });
}

export function toItem({ kind, id, fingerprint }: Item, number: number, action: RunAction): RunItem {
  const item = { kind, id };
  return { number, item, action, reason: 'named', fingerprint, sizeBytes: 0, skipsTrash: false, state: 'intended' };
}

/** By number: a driver may answer in whatever order it worked, and say how much became free. */
export function doneAll(items: readonly RunItem[]): unknown {
  const wanted = items.map(({ number }): ItemOutcome => ({ number, status: 'done' }));
  const sorted = (outcomes: readonly ItemOutcome[]) =>
    outcomes
      .map((outcome) => (outcome.status === 'done' ? { number: outcome.number, status: outcome.status } : outcome))
      .toSorted((a, b) => a.number - b.number);
  return expect.toSatisfy((found: readonly ItemOutcome[]) => {
    expect(sorted(found)).toEqual(sorted(wanted));
    return true;
  });
}

export type Order = (items: readonly RunItem[]) => readonly (readonly RunItem[])[];

export const IN_ORDER: Order = (items) => [items];
export const BACKWARDS: Order = (items) => [items.toReversed()];
export const ONE_BY_ONE: Order = (items) => items.map((item) => [item]);
