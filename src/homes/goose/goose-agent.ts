import { join } from 'node:path';
import { shellWord } from '../../core/shell-word.ts';
import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import type { RowAgent } from '../../keeping/row-home/row-agent.ts';
import { shownAgent } from '../../keeping/row-home/shown-agent.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { goosePage } from './goose-messages.ts';
import { gooseSessions } from './goose-rows.ts';

/** The sessions of Goose. */
const gooseRows: RowAgent = {
  databases: (home) => [join(home, 'sessions', 'sessions.db')].filter(isThere),
  sessions: gooseSessions,
  page: goosePage,
  hold: ({ id }) => ({ kind: 'through-owner', command: `goose session remove --session-id ${shellWord(id)}` }),
  totalsOnly: true,
};

export function gooseAgent(): FileAgent {
  return shownAgent({
    name: 'goose',
    agent: 'Goose',
    rows: gooseRows,
    sorts: [
      { name: 'database', fits: /^sessions\/sessions\.db(?:-wal|-shm)?$/, unbounded: true },
      { name: 'older-sessions', fits: /^sessions\/[^/]+\.jsonl$/, unbounded: true },
      { name: 'schedule', fits: /^(?:schedule\.json$|scheduled_recipes\/)/, unbounded: false },
    ],
  });
}
