import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HERMES_NOW, hermesSql } from './hermes-home.ts';

const SOON = HERMES_NOW / 1000 + 60;

/** Every way in which Hermes shows that it uses a session, as it would come about at any moment. */
export const USES: readonly (readonly [name: string, use: (home: string, id: string) => void, sentence: string])[] = [
  [
    'a route',
    (home, id) => hermesSql(home, `INSERT INTO gateway_routing VALUES ('x', 'k', '{"session_id":"${id}"}', 1)`),
    'A chat of Hermes leads to it.',
  ],
  [
    'a route in the mirror',
    (home, id) => file(home, 'sessions/sessions.json', { k: { session_id: id } }),
    'A chat of Hermes leads to it.',
  ],
  [
    'a compression',
    (home, id) => hermesSql(home, `INSERT INTO compression_locks VALUES ('${id}', 'pid=1', 0, ${SOON})`),
    'Hermes is compressing it.',
  ],
  [
    'a turn',
    (home, id) => hermesSql(home, `INSERT INTO session_turn_leases VALUES ('${id}', 'pid=1', 0, ${SOON})`),
    'Hermes is at work in it.',
  ],
  [
    'a terminal',
    (home, id) =>
      file(home, 'runtime/active_sessions.json', { entries: [{ lease_id: 'l', session_id: id, pid: process.pid }] }),
    'Hermes is at work in it.',
  ],
  [
    'a delegation',
    (home, id) =>
      hermesSql(
        home,
        `INSERT INTO async_delegations (delegation_id, origin_session, parent_session_id, state, dispatched_at, updated_at) VALUES ('d', '', '${id}', 'running', 1, 1)`,
      ),
    'Work that Hermes handed on for it is not finished.',
  ],
  [
    'a topic',
    (home, id) => hermesSql(home, `INSERT INTO telegram_dm_topic_bindings VALUES ('1', '2', '${id}')`),
    'A topic of a chat is bound to it.',
  ],
  [
    'a message that waits',
    (home, id) => file(home, 'pending_messages/pending-1.json', { data: { session_id: id } }),
    'Hermes has messages for it that are not stored yet.',
  ],
  [
    'a hand-over',
    (home, id) => hermesSql(home, `UPDATE sessions SET handoff_state = 'running' WHERE id = '${id}'`),
    'Hermes is handing it over.',
  ],
  [
    'a resumption',
    (home, id) => hermesSql(home, `UPDATE sessions SET ended_at = NULL WHERE id = '${id}'`),
    'It is open in Hermes.',
  ],
  ['a pin', (home, id) => hermesSql(home, `UPDATE sessions SET pinned = 1 WHERE id = '${id}'`), 'It is pinned.'],
  [
    'values that it is not known to write',
    (home, id) => hermesSql(home, `UPDATE sessions SET model_config = 'not json' WHERE id = '${id}'`),
    'Its row holds values that Hermes does not write.',
  ],
  [
    'evidence that nobody can read',
    (home) => writeFileSync(join(home, 'sessions/sessions.json'), '{ half'),
    'sessions/sessions.json cannot be understood',
  ],
];

/** Goes in several steps. */
function file(home: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), JSON.stringify(content));
}
