import { DAY_MS } from '../../src/core/time.ts';
import { FILE_NOW, type FileHomeScene, putFile } from './file-home-scene.ts';
import {
  changeDatabase,
  GONE_PROJECT,
  LONG_AGO,
  PROJECT,
  putDatabase,
  putMessage,
  putSession,
  putStore,
} from './opencode-home.ts';

const PLAIN = 'ses_plain';
const FORK = 'ses_fork';
const CHILD = 'ses_child';
/** What parts of a session name, and what none does. */
export const NAMED_OUTPUT = 'tool_1de2f3a6a001WSfVVfqj9VA5N1';
export const LEFT_OUTPUT = 'tool_1de2f3a65001KIN8lUi9G313br';

/** All that may go in the home below. */
export const LEFT_OVER = [
  'snapshot/' + GONE_PROJECT,
  `snapshot/${PROJECT}/${'c'.repeat(40)}/objects/pack/tmp_pack_old1aB`,
  'storage/session_diff/ses_deleted.json',
  `tool-output/${LEFT_OUTPUT}`,
].toSorted();

/** A home with everything that opencode leaves behind, and as much that only looks so. All that was said is in the log. */
export function buildOpencode(home: string, { inLog = true } = {}): void {
  putDatabase(home, { inLog, write: writeSessions });
  for (const name of [NAMED_OUTPUT, LEFT_OUTPUT]) putFile(home, `tool-output/${name}`, `all of ${name}`, LONG_AGO);
  putFile(home, 'tool-output/tool_today', 'of a session that goes on', FILE_NOW - DAY_MS / 2);
  putFile(home, 'tool-output/notes.txt', 'mine', LONG_AGO);
  for (const id of [PLAIN, 'ses_deleted']) putFile(home, `storage/session_diff/${id}.json`, '[]', LONG_AGO);
  putFile(home, 'storage/migration', '2', LONG_AGO);
  putStore(home, PROJECT, { worktree: '/home/ada/work' });
  putStore(home, GONE_PROJECT);
  putStore(home, 'd'.repeat(40), { at: FILE_NOW - DAY_MS / 2 });
  putStore(home, 'global');
  const packs = `snapshot/${PROJECT}/${'c'.repeat(40)}/objects/pack`;
  putFile(home, `${packs}/tmp_pack_old1aB`, 'half a pack', LONG_AGO);
  putFile(home, `${packs}/tmp_pack_new1aB`, 'half a pack', FILE_NOW - DAY_MS / 2);
  putFile(home, `${packs}/pack-${'e'.repeat(40)}.pack`, 'a pack', LONG_AGO);
  putFile(home, 'log/opencode.log', 'started\n', LONG_AGO);
  putFile(home, 'auth.json', '{"some":{"key":"secret"}}', LONG_AGO);
  putFile(home, 'plugins/mine.ts', 'mine', LONG_AGO);
}

function writeSessions(db: Parameters<typeof putSession>[0]): void {
  const at = LONG_AGO - DAY_MS;
  const said = (prefix: string) =>
    [
      { id: `${prefix}_1`, at, text: 'What does this do?' },
      { id: `${prefix}_2`, at: at + 10, role: 'assistant', doneAt: at + 20, outputs: [NAMED_OUTPUT] },
    ] as const;
  putSession(db, { id: PLAIN, at, updatedAt: at + 30, messages: said('msg_a') });
  const more = { id: 'msg_b_3', at: at + 1010, role: 'assistant', doneAt: at + 1020, input: 7 } as const;
  putSession(db, { id: FORK, at: at + 1000, title: `About ${PLAIN} (fork #1)`, messages: [...said('msg_b'), more] });
  putSession(db, { id: CHILD, at: at + 2000, parent: PLAIN });
  putSession(db, { id: 'ses_archived', at: at + 3000, archivedAt: at + 4000 });
}

/** What the suites of drivers need of it. Its sessions go by the command of opencode alone. */
export const opencodeScene: FileHomeScene = {
  build: (home) => buildOpencode(home),
  removable: [],
  held: [PLAIN, FORK, CHILD, 'ses_archived'],
  change: (home, id) => changeDatabase(home, (db) => putMessage(db, id, { id: `msg_${id}_more`, at: LONG_AGO })),
  uses: {},
};
