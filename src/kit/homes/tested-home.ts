import type { HomeDriver } from '../../core/retention/home-driver.ts';
import type { Item } from '../../core/retention/inventory.ts';
import type { RunAction, RunItem } from '../../core/retention/run.ts';
import { USES, type Use } from '../../core/sessions/in-use.ts';

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
   * What it leaves is what the next process finds. For a driver that changes files through `node:fs`, `dieAtChange` does it.
   */
  dieAt(change: number, step: (driver: HomeDriver) => Promise<unknown>): Promise<boolean>;
}

export type MakeHome = () => Promise<TestedHome>;

/** Where homes to try come from. */
export interface HomePlace {
  /** Makes the same home once more, in a folder of its own, which goes when the home is disposed of. */
  readonly make: MakeHome;
  /** In the suites of crashes: dies at every so many changes instead of at each. */
  readonly every?: number;
}

/** What homes of a kind have at all. No suite asks for what no home of a kind can have. */
export interface HomeTraits {
  /** The ways in which the home knows that a session is in use. */
  readonly uses: readonly Use[];
  /** What of a session may go while the session stays. A removable session that has no part in any conversation has all of it. */
  readonly parts: readonly PartAction[];
  /** Whether sessions go on in other sessions. A removable one does then. */
  readonly conversations: boolean;
}

export type PartAction = 'drop-dumps' | 'drop-files';

export const ALL_TRAITS: HomeTraits = { uses: USES, parts: ['drop-dumps', 'drop-files'], conversations: true };

/** What can be asked of a driver about a session. */
export const TAKING = ['remove', 'drop-files', 'drop-dumps'] as const;

export const RUN = '01900000-0000-7000-8000-000000000001';
export const LATER_RUN = '01900000-0000-7000-8000-000000000002';

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
    if (session === undefined) throw new Error(`The scan finds no session ${id}.`);
    return toItem(session, index + 1, action);
  });
}

export function toItem({ kind, id, fingerprint }: Item, number: number, action: RunAction): RunItem {
  const item = { kind, id };
  return { number, item, action, reason: 'named', fingerprint, sizeBytes: 0, skipsTrash: false, state: 'intended' };
}

export type Order = (items: readonly RunItem[]) => readonly (readonly RunItem[])[];

export const IN_ORDER: Order = (items) => [items];
export const BACKWARDS: Order = (items) => [items.toReversed()];
export const ONE_BY_ONE: Order = (items) => items.map((item) => [item]);
