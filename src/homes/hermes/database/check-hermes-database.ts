import { errorText } from '../../../core/error-text.ts';
import type { Problem } from '../../../core/problem.ts';
import type { StoreCheck } from '../../../core/stores/session-reader.ts';
import {
  damagedPages,
  databaseBytes,
  indexIn,
  LARGE_BYTES,
  leaveOutIndexes,
} from '../../../platform/sqlite/damaged-pages.ts';
import { hasColumns } from '../../../platform/sqlite/guest-database.ts';
import { type HermesDatabase, readHermes } from './hermes-connection.ts';

const DAMAGED = 'database-damaged';

/** Looks at the database of a Hermes home: its pages, its search index, and its routes. Changes nothing. */
export async function* checkHermesDatabase(home: string): AsyncGenerator<StoreCheck> {
  yield { name: 'database', problems: await ask(home, databaseProblems) };
  yield { name: 'search index', problems: await ask(home, indexProblems) };
  yield { name: 'routes', problems: await ask(home, routeProblems) };
}

/** What cannot even be asked is a finding, and the next question is asked all the same. */
async function ask(home: string, look: (hermes: HermesDatabase) => Problem[]): Promise<readonly Problem[]> {
  try {
    return await readHermes(home, async (hermes) => look(hermes));
  } catch (error) {
    const why = errorText(error);
    return [damaged(`Its database cannot be read: ${why}.`)];
  }
}

/** What is wrong with the pages of a database, asked before anything is removed from it. */
export async function findDamage(home: string): Promise<Problem | undefined> {
  const problems = await ask(home, ({ db }) => {
    leaveOutIndexes(db);
    return damagedPages(db).map(finding);
  });
  return problems.find(({ kind }) => kind === DAMAGED);
}

function databaseProblems({ db }: HermesDatabase): Problem[] {
  if (databaseBytes(db) > LARGE_BYTES) {
    const message = 'Its database is larger than 1 GB, so its pages were not read one by one.';
    const hint = 'Have Hermes check it, at a quiet hour, with: hermes sessions repair --check-only';
    return [{ kind: 'not-checked', subject: 'state.db', message, hint }];
  }
  return damagedPages(db).map(finding);
}

/** SQLite looks into search indexes too. They hold nothing that the messages do not. */
function finding(line: string): Problem {
  const index = indexIn(line);
  if (index === undefined) return damaged(`Its database is damaged: ${line}.`);
  const message = `Its search index ${index} is not what SQLite expects, so a search may miss messages: ${line}.`;
  const hint = 'No message is lost. Let Hermes build it again with: hermes sessions optimize-storage';
  return { kind: 'index-doubtful', subject: index, message, hint };
}

function damaged(message: string): Problem {
  const hint = 'Run hermes sessions repair --check-only to see what is wrong.';
  return { kind: DAMAGED, subject: 'state.db', message, hint };
}

/** An index can be broken while the database is not. Its own check would need to write, so one question is put to each. */
function indexProblems(hermes: HermesDatabase): Problem[] {
  const { db } = hermes;
  const indexes = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE name LIKE 'messages\\_fts%' ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL TABLE%'`,
    )
    .pluck()
    .all();
  const unusable = indexes.flatMap((name) => {
    try {
      db.prepare(`SELECT rowid FROM "${name}" WHERE "${name}" MATCH '"coppice"' LIMIT 1`).get();
      return [];
    } catch (error) {
      const why = errorText(error);
      const message = `Its search index ${name} cannot be used: ${why}.`;
      const hint = 'Search goes through the messages themselves instead. Hermes may mend it: hermes sessions repair';
      return [{ kind: 'index-unusable', subject: name, message, hint }];
    }
  });
  return [...unusable, ...missingFromIndex(hermes)];
}

/** The index of words covers every message, so what it does not know cannot be found. */
function missingFromIndex(hermes: HermesDatabase): Problem[] {
  if (!hasColumns(hermes, 'messages_fts_docsize', ['id'])) return [];
  const sql = 'SELECT count(*) FROM (SELECT id FROM messages EXCEPT SELECT id FROM messages_fts_docsize)';
  const count = hermes.db.prepare<[], number>(sql).pluck().get() ?? 0;
  if (count === 0) return [];
  const message = `${count === 1 ? '1 message is' : `${count} messages are`} missing from the search index.`;
  const hint = 'Let Hermes build it again with: hermes sessions optimize-storage';
  return [{ kind: 'index-behind', subject: 'messages_fts', message, hint }];
}

/** Routes that lead to a session that is not there swallow what is said to them, until Hermes heals them. */
function routeProblems(hermes: HermesDatabase): Problem[] {
  if (!hasColumns(hermes, 'gateway_routing', ['session_key', 'entry_json'])) return [];
  const sql = `SELECT session_key AS key, iif(json_valid(entry_json), json_extract(entry_json, '$.session_id'), NULL) AS id
    FROM gateway_routing`;
  const routes = hermes.db.prepare<[], { key: unknown; id: unknown }>(sql).all();
  const exists = hermes.db.prepare<[unknown]>('SELECT 1 FROM sessions WHERE id = ?');
  return routes.flatMap(({ key, id }) => {
    const subject = String(key);
    if (typeof id !== 'string') {
      return [{ kind: 'route-unreadable', subject, message: `The route ${subject} names no session.` }];
    }
    if (exists.get(id) !== undefined) return [];
    const message = `The route ${subject} leads to session ${id}, which does not exist.`;
    const hint = 'Hermes starts a new session there with the next message.';
    return [{ kind: 'route-to-nothing', subject, message, hint }];
  });
}
