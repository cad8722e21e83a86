import { shellWord } from '../../../core/shell-word.ts';
import type { FileAgent } from '../../../keeping/file-home/file-agent.ts';
import { parseObject } from '../../../keeping/row-home/parse-object.ts';
import type { RowAgent, RowPage } from '../../../keeping/row-home/row-agent.ts';
import { shownAgent } from '../../../keeping/row-home/shown-agent.ts';
import { type GuestDatabase, hasColumns } from '../../../platform/sqlite/guest-database.ts';
import { piTranscript } from '../pi-transcript.ts';
import { openclawDatabases } from './openclaw-places.ts';
import { openclawSessions } from './openclaw-rows.ts';

/** The sessions of OpenClaw. How much each of them used, it does not write down in one place. */
const openclawRows: RowAgent = {
  databases: openclawDatabases,
  sessions: openclawSessions,
  page: openclawPage,
  hold: ({ id, key = id }) => ({ kind: 'through-owner', command: `openclaw sessions delete ${shellWord(key)}` }),
  totalsOnly: true,
  unmeasured: true,
};

export function openclawAgent(): FileAgent {
  return shownAgent({
    name: 'openclaw',
    agent: 'OpenClaw',
    rows: openclawRows,
    sorts: [
      { name: 'database', fits: /^agents\/[^/]+\/agent\/openclaw-agent\.sqlite(?:-wal|-shm)?$/, unbounded: false },
      {
        name: 'archived-session',
        fits: /^agents\/[^/]+\/sessions\/[^/]+\.jsonl\.(?:reset|deleted)\./,
        unbounded: false,
      },
      {
        name: 'older-sessions',
        fits: /^agents\/[^/]+\/(?:sessions|session-sqlite-import-archive)\//,
        unbounded: false,
      },
      { name: 'credentials', fits: /^(?:credentials\/|agents\/[^/]+\/agent\/auth[^/]*\.json$)/, unbounded: false },
      { name: 'settings', fits: /^openclaw\.json/, unbounded: false },
      { name: 'workspace', fits: /^workspace/, unbounded: false },
      { name: 'log', fits: /^(?:logs|cron\/runs)\//, unbounded: false },
    ],
  });
}

const PAGE = 200;

/** Events are what pi writes as lines. One that is packed, or of another kind, is told as unknown. */
function openclawPage(guest: GuestDatabase, id: string, after: string | undefined): RowPage {
  if (!hasColumns(guest, 'transcript_events', ['session_id', 'seq', 'event_json'])) return { pieces: [] };
  const rows = guest.db
    .prepare<[string, number], { seq: number; event: string | null }>(
      `SELECT seq, event_json AS event FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`,
    )
    .all(id, after === undefined ? Number.MIN_SAFE_INTEGER : Number(after));
  const transcript = piTranscript(`${id}.jsonl`, 'openclaw');
  const last = rows.at(-1);
  const pieces = rows.flatMap(({ event }) => {
    const line = parseObject(event);
    return line === undefined ? [{ kind: 'unknown', what: 'packed' } as const] : transcript.read(line);
  });
  return { pieces, ...(last !== undefined && rows.length === PAGE && { next: String(last.seq) }) };
}
