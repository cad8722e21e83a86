import { countOf, moneyOf, textOf } from '../../core/sessions/message-parts.ts';
import { type ModelUsage, NO_USAGE } from '../../core/sessions/session.ts';
import { readTime } from '../../core/read-time.ts';
import type { EpochMs } from '../../core/time.ts';
import { parseObject } from '../../keeping/row-home/parse-object.ts';
import type { RowSession } from '../../keeping/row-home/row-agent.ts';
import { createBreathing, type RowSum, sumRows } from '../../keeping/row-home/sum-rows.ts';
import { type GuestDatabase, hasColumns } from '../../platform/sqlite/guest-database.ts';

type Cell = string | number | null;

const NEEDED = ['id', 'working_dir', 'created_at', 'updated_at'] as const;
/** What not every version has. */
const OPTIONAL = [
  'name',
  'description',
  'session_type',
  'model_config_json',
  'parent_session_id',
  'archived_at',
  'accumulated_input_tokens',
  'accumulated_output_tokens',
  'accumulated_cache_read_tokens',
  'accumulated_cache_write_tokens',
  'accumulated_cost',
] as const;

type SessionRow = Readonly<Record<(typeof NEEDED)[number] | (typeof OPTIONAL)[number], Cell>>;

/** The sessions of a database of Goose, in the order in which they began. */
export async function* gooseSessions(guest: GuestDatabase, signal?: AbortSignal): AsyncGenerator<RowSession> {
  if (!hasColumns(guest, 'sessions', NEEDED) || !hasColumns(guest, 'messages', ['id', 'session_id', 'content_json']))
    return;
  const breathe = createBreathing(signal);
  const sums = await sumRows(guest.db, { table: 'messages', session: 'session_id', content: 'content_json' }, breathe);
  const columns = OPTIONAL.map((name) => (hasColumns(guest, 'sessions', [name]) ? name : `NULL AS ${name}`));
  const sql = `SELECT ${[...NEEDED, ...columns].join(', ')} FROM sessions ORDER BY created_at, id`;
  for (const row of guest.db.prepare<[], SessionRow>(sql).all()) {
    await breathe();
    if (typeof row.id === 'string') yield told(row, row.id, sums.get(row.id) ?? { rows: 0, bytes: 0 });
  }
}

function told(row: SessionRow, id: string, { rows, bytes }: RowSum): RowSession {
  const title = textOf(row.name) ?? textOf(row.description);
  const workdir = textOf(row.working_dir);
  const model = textOf(parseObject(row.model_config_json)?.['model_name']);
  const parentId = textOf(row.parent_session_id);
  const startedAt = timeOf(row.created_at) ?? timeOf(row.updated_at) ?? 0;
  return {
    id,
    ...(title !== undefined && { title }),
    ...(workdir !== undefined && { workdir }),
    ...(model !== undefined && { model }),
    ...(parentId !== undefined && { parentId }),
    ...(parentId !== undefined && row.session_type === 'sub_agent' && { childKind: 'subagent' }),
    startedAt,
    lastActiveAt: Math.max(startedAt, timeOf(row.updated_at) ?? 0),
    ...(row.archived_at !== null && { tags: ['goose:archived'] }),
    usageByModel: usageOf(row, model ?? 'unknown'),
    messageRows: rows,
    rowBytes: bytes,
  };
}

/** What the session used as a whole, as Goose adds it up. */
function usageOf(row: SessionRow, model: string): readonly ModelUsage[] {
  const usage = {
    model,
    ...NO_USAGE,
    inputTokens: countOf(row.accumulated_input_tokens),
    outputTokens: countOf(row.accumulated_output_tokens),
    cacheReadTokens: countOf(row.accumulated_cache_read_tokens),
    cacheWriteTokens: countOf(row.accumulated_cache_write_tokens),
    costUsd: moneyOf(row.accumulated_cost),
  };
  return usage.inputTokens + usage.outputTokens + usage.costUsd > 0 ? [usage] : [];
}

/** SQLite's own moments are those of Greenwich and do not say so. */
function timeOf(cell: Cell): EpochMs | undefined {
  if (typeof cell === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(cell))
    return readTime(`${cell.replace(' ', 'T')}Z`);
  return cell === null ? undefined : readTime(cell);
}
