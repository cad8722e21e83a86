import type { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import { isoTime } from '../../core/time.ts';
import type { HomeOverview } from './home-overview.ts';
import type { Spent } from './home-spend.ts';
import type { KnownHome } from './known-homes.ts';

/** One home among those of a machine: what it keeps, or why that is not known. */
export type HomeLine =
  | { readonly known: KnownHome; readonly overview: HomeOverview }
  | { readonly known: KnownHome; readonly failure: Failure };

/** What the agents of a machine keep on it. */
export interface MachineOverview {
  readonly lines: readonly HomeLine[];
  readonly totals: MachineTotals;
  readonly ignored: readonly KnownHome[];
  /** Places that could not be looked at. */
  readonly problems: readonly Problem[];
}

export interface MachineTotals {
  readonly sessions: number;
  readonly active: number;
  readonly sizeBytes: number;
  readonly newBytes: number;
  readonly canGo: { readonly items: number; readonly sizeBytes: number };
  readonly today: Spent;
  readonly month: Spent;
}

export function machineOverview(
  lines: readonly HomeLine[],
  { ignored, problems }: Pick<MachineOverview, 'ignored' | 'problems'>,
): MachineOverview {
  const read = lines.flatMap((line) => ('overview' in line ? [line.overview] : []));
  const sum = (of: (overview: HomeOverview) => number) => read.reduce((all, each) => all + of(each), 0);
  const totals: MachineTotals = {
    sessions: sum(({ sessions }) => sessions),
    active: sum(({ active }) => active),
    sizeBytes: sum(({ sizeBytes }) => sizeBytes),
    newBytes: sum(({ newBytes }) => newBytes),
    canGo: { items: sum(({ canGo }) => canGo.items), sizeBytes: sum(({ canGo }) => canGo.sizeBytes) },
    today: spentOf(read.map(({ spend }) => spend.today)),
    month: spentOf(read.map(({ spend }) => spend.month)),
  };
  return { lines, totals, ignored, problems };
}

function spentOf(all: readonly (Spent | undefined)[]): Spent {
  const known = all.filter((spent) => spent !== undefined);
  const tokens = known.reduce((sum, spent) => sum + spent.tokens, 0);
  const costUsd = Math.round(known.reduce((sum, spent) => sum + spent.costUsd, 0) * 1e9) / 1e9;
  return { tokens, costUsd, ...(known.some(({ atLeast }) => atLeast === true) && { atLeast: true as const }) };
}

/** A home as programs see it in a list of those that are known. */
export function knownHomeDocument({ name, kind, agent, path, by, ignored, empty }: KnownHome) {
  return { name, kind, agent, path, by, ignored, ...(empty === true && { empty }) };
}

/** The homes of a machine as programs see them. */
export function machineDocument({ lines, totals, ignored, problems }: MachineOverview) {
  return {
    homes: lines.map(lineDocument),
    totals,
    ignored: ignored.map(knownHomeDocument),
    problems,
  };
}

function lineDocument(line: HomeLine) {
  const home = knownHomeDocument(line.known);
  if ('failure' in line) {
    const { code, message, hint } = line.failure;
    return { ...home, error: { code, message, ...(hint !== undefined && { hint }) } };
  }
  const { own, nextMaintenanceAt, ...rest } = line.overview;
  return {
    ...home,
    ...rest,
    ...(own !== undefined && {
      own: { ...own, ...(own.firstAt !== undefined && { firstAt: isoTime(own.firstAt) }) },
    }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt: isoTime(nextMaintenanceAt) }),
  };
}
