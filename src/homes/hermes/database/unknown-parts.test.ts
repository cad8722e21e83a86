import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHermesHome } from '../../../../test/support/hermes-home.ts';
import { detectHermes } from '../detect-hermes.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function reasonsAfter(sql: string, schema: 25 | 30 | 'legacy' = 25): Promise<readonly string[]> {
  buildHermesHome(home, { schema });
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.function('theirs', { deterministic: true }, (value: unknown) => value);
  db.exec(sql);
  db.close();
  return (await detectHermes(home))?.reasons.map(({ kind, message }) => `${kind}: ${message}`) ?? [];
}

const refers = (child: string, parent: string) => [
  `schema-unknown-part: Its table ${child} refers to ${parent} in a way that Coppice does not know.`,
];
const triggered = (table: string, name: string) => [
  `schema-unknown-part: Its table ${table} has a trigger that Coppice does not know: ${name}.`,
];

describe('a part of the schema that Coppice does not know', () => {
  it.each([
    ['CREATE TABLE notes (s TEXT REFERENCES sessions (id))', refers('notes', 'sessions')],
    ['CREATE TABLE notes (s TEXT REFERENCES sessions)', refers('notes', 'sessions')],
    ['CREATE TABLE notes (m INTEGER REFERENCES messages (id) ON DELETE CASCADE)', refers('notes', 'messages')],
    ['CREATE TABLE notes (m INTEGER REFERENCES "MESSAGES" (id) ON DELETE SET NULL)', refers('notes', 'MESSAGES')],
    ['CREATE TABLE notes (h TEXT REFERENCES system_prompts (hash))', refers('notes', 'system_prompts')],
    [
      'CREATE TABLE notes (s TEXT REFERENCES compression_locks (session_id) ON DELETE CASCADE)',
      refers('notes', 'compression_locks'),
    ],
    [
      `CREATE TABLE groups (id INTEGER PRIMARY KEY); ALTER TABLE sessions ADD COLUMN g INTEGER REFERENCES groups (id)`,
      refers('sessions', 'groups'),
    ],
    ['ALTER TABLE messages ADD COLUMN answers INTEGER REFERENCES messages (id)', refers('messages', 'messages')],
    [
      `DROP TABLE telegram_dm_topic_bindings;
       CREATE TABLE Telegram_DM_Topic_Bindings (session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE)`,
      refers('Telegram_DM_Topic_Bindings', 'sessions'),
    ],
  ])('is a key: %s', async (sql, reasons) => {
    expect(await reasonsAfter(sql)).toEqual(reasons);
  });

  it.each([
    [
      'CREATE TRIGGER counting AFTER DELETE ON messages BEGIN UPDATE state_meta SET value = value + 1; END',
      triggered('messages', 'counting'),
    ],
    [
      'CREATE TRIGGER Sweep BEFORE DELETE ON Sessions BEGIN DELETE FROM gateway_routing; END',
      triggered('sessions', 'sweep'),
    ],
    ['CREATE TRIGGER t AFTER INSERT ON session_model_usage BEGIN SELECT 1; END', triggered('session_model_usage', 't')],
    ['CREATE TRIGGER t AFTER UPDATE ON schema_version BEGIN SELECT 1; END', triggered('schema_version', 't')],
    [
      `DROP TRIGGER messages_fts_delete;
       CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
         INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
         DELETE /* all of */ FROM gateway_routing;
       END`,
      triggered('messages', 'messages_fts_delete'),
    ],
    [
      `CREATE TRIGGER messages_display_more AFTER DELETE ON messages BEGIN UPDATE sessions SET title = NULL; END`,
      triggered('messages', 'messages_display_more'),
    ],
  ])('is a trigger: %s', async (sql, reasons) => {
    expect(await reasonsAfter(sql)).toEqual(reasons);
  });

  it('is an index that loses entries, or that needs what is not here', async () => {
    expect(await reasonsAfter('DROP TRIGGER messages_fts_trigram_update')).toEqual([
      'index-unkept: Its search index messages_fts_trigram is not kept any more: the trigger messages_fts_trigram_update is missing.',
    ]);
    rmSync(home, { recursive: true });
    expect(await reasonsAfter('CREATE INDEX odd ON messages (theirs(role))')).toEqual([
      `schema-unknown-part: Its table messages needs something that Coppice's SQLite does not have: unknown function: theirs().`,
    ]);
  });

  it.each([25, 30, 'legacy'] as const)('is none of what does no harm (schema %s)', async (schema) => {
    expect(
      await reasonsAfter(
        `ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT 'good';
         ALTER TABLE messages ADD COLUMN half GENERATED ALWAYS AS (id / 2);
         CREATE TABLE plugin (id INTEGER PRIMARY KEY, session_id TEXT);
         CREATE TABLE plugin_part (p INTEGER REFERENCES plugin (id) ON DELETE CASCADE);
         CREATE TRIGGER plugin_count AFTER INSERT ON plugin BEGIN DELETE FROM plugin_part; END;
         CREATE INDEX plugin_index ON messages (role, timestamp) WHERE role = 'tool';
         CREATE VIEW plugin_view AS SELECT * FROM sessions`,
        schema,
      ),
    ).toEqual([]);
  });
});
