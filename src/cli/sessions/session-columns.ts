import { type SessionFacts, sessionBytes, totalTokens } from '../../core/sessions/session.ts';
import type { SessionSort } from '../../core/stores/session-reader.ts';
import { WORD_FACT_SPECS, WORD_FACTS } from '../../core/sessions/word-facts.ts';
import type { EpochMs } from '../../core/time.ts';
import { displayWidth } from '../print/display-width.ts';
import { formatAge, formatBytes, formatCount, formatTokens, formatUsd } from '../print/format.ts';
import { safeText } from '../print/safe-text.ts';
import type { Column } from '../print/table.ts';

/** A session with what a person recognises it by. */
export interface LabelledSession extends SessionFacts {
  readonly label: string;
  /** What its home is called, in a list of several. */
  readonly home?: string;
  /** What is typed to mean it. */
  readonly shortId: string;
}

export interface ColumnsRequest {
  readonly width: number;
  readonly now: EpochMs;
  /** What the list is sorted by; its column is always shown. */
  readonly sort?: SessionSort | undefined;
}

/** The columns of a list of sessions that fit the width, the most telling first to be kept, in their usual order. */
export function sessionColumns(
  sessions: readonly LabelledSession[],
  { width, now, sort: by = 'last' }: ColumnsRequest,
) {
  const sort = by === 'bytes' ? 'size' : by;
  const homes = sessions.some(({ home }) => home !== undefined) ? [HOME] : [];
  const all = [...USUAL.slice(0, 1), ...homes, ...USUAL.slice(1), ...factColumns(sessions), TITLE];
  const filled = all.map((column) => ({ ...column, cells: sessions.map((session) => column.cell(session, now)) }));
  const byRank = filled.toSorted((a, b) => rank(a, sort) - rank(b, sort));
  const chosen = new Set<(typeof filled)[number]>();
  let left = width + GAP_WIDTH;
  for (const column of byRank) {
    const needed = leastWidth(column, column.cells) + GAP_WIDTH;
    const spare = rank(column, sort) > TELLING_RANK ? left - COMFORT_WIDTH : left;
    if (rank(column, sort) > 0 && needed > spare) continue;
    chosen.add(column);
    left -= needed;
  }
  const columns = filled.filter((column) => chosen.has(column));
  return { columns, rows: sessions.map((_, at) => columns.map(({ cells }) => cells[at] ?? '')) };
}

const GAP_WIDTH = 2;
/** Numbers come after this rank: they are shown when the titles have room to spare. */
const TELLING_RANK = 3;
const COMFORT_WIDTH = 10;

interface SessionColumn extends Column {
  readonly cell: (session: LabelledSession, now: EpochMs) => string;
  readonly sort?: SessionSort;
  /** 0 is shown however narrow the terminal is; the higher, the sooner it is left out. */
  readonly rank: number;
}

const USUAL: readonly SessionColumn[] = [
  { title: 'ID', rank: 0, cell: ({ shortId }) => shortId },
  { title: 'LAST ACTIVE', rank: 1, sort: 'last', cell: ({ lastActiveAt }, now) => formatAge(lastActiveAt, now) },
  { title: 'SOURCE', rank: 2, shrink: true, cell: ({ source }) => source },
  { title: 'STATE', rank: 3, cell: stateOf },
  {
    title: 'MESSAGES',
    rank: 5,
    sort: 'messages',
    align: 'right',
    cell: (session) => formatCount(session.messageCount),
  },
  { title: 'SIZE', rank: 4, sort: 'size', align: 'right', cell: (session) => formatBytes(sessionBytes(session)) },
  { title: 'TOKENS', rank: 6, sort: 'tokens', align: 'right', cell: ({ usage }) => formatTokens(totalTokens(usage)) },
  { title: 'COST', rank: 7, sort: 'cost', align: 'right', cell: ({ usage }) => formatUsd(usage.costUsd) },
];
const HOME: SessionColumn = { title: 'HOME', rank: 1, shrink: true, minWidth: 8, cell: ({ home = '' }) => home };
const TITLE: SessionColumn = { title: 'TITLE', rank: 0, shrink: true, minWidth: 10, cell: ({ label }) => label };

/** Facts that are listed, where any of the sessions has them. */
function factColumns(sessions: readonly SessionFacts[]): readonly SessionColumn[] {
  return WORD_FACTS.flatMap((fact) => {
    const { listed: title } = WORD_FACT_SPECS[fact];
    if (title === undefined || sessions.every((session) => session[fact] === undefined)) return [];
    return [{ title, rank: FACT_RANK, cell: (session) => session[fact] ?? '' }];
  });
}

/** They are left out before anything else. */
const FACT_RANK = 8;

function stateOf({ endedAt, pinned, archivedAt }: SessionFacts): string {
  if (archivedAt !== undefined) return 'archived';
  return `${endedAt === undefined ? 'open' : 'ended'}${pinned ? ', pinned' : ''}`;
}

function rank(column: SessionColumn, sort: SessionSort): number {
  return column.sort === sort ? 0 : column.rank;
}

function leastWidth({ title, shrink, minWidth }: Column, cells: readonly string[]): number {
  if (shrink) return minWidth ?? displayWidth(title);
  return cells.reduce((most, cell) => Math.max(most, displayWidth(safeText(cell))), displayWidth(title));
}
