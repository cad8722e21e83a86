import { errorText } from '../../../core/error-text.ts';
import type { Problem } from '../../../core/problem.ts';
import { quoted } from '../../../platform/sqlite/row-lines.ts';
import { type ForeignKey, foreignKeysOf, triggersOf, writtenBy } from '../../../platform/sqlite/schema-parts.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { columnsOf, SIDE_TABLES } from './record-tables.ts';

/*
 * Only what is known to come back as it was may go. Rows of the tables below are written down with all of their columns, so new
 * columns, new indexes and tables that have nothing to do with them are welcome. What would change or lose anything else
 * when those rows go or come back, and is not in these lists, makes the home one that is only shown.
 */

/** Every table that Coppice changes in a Hermes home, by its own statements or by the triggers of Hermes. */
const CHANGED: ReadonlySet<string> = new Set([
  'sessions',
  'messages',
  'system_prompts',
  'state_meta',
  'schema_version',
  ...SIDE_TABLES.map(({ table }) => table),
]);

/** Whose column refers to which table: these rows go before, or with, the rows that they refer to. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'sessions.parent_session_id sessions.id',
  'sessions.system_prompt_hash system_prompts.hash',
  'messages.session_id sessions.id',
  ...SIDE_TABLES.map(({ table, column }) => `${table}.${column} sessions.id`),
]);

/** Triggers that keep the search indexes, and those that keep the order in which copies of a message are shown. */
const INDEX_TRIGGER = /^(messages_fts(?:_trigram|_cjk)?)_(insert|delete|update)$/;
const ORDER_TRIGGER = /^messages_display_\w+$/;

/** What in a database of Hermes is not known to survive that sessions go and come back. */
export function unknownParts(hermes: HermesDatabase): Problem[] {
  return [...unknownKeys(hermes), ...unknownTriggers(hermes), ...missingTriggers(hermes), ...unusable(hermes)];
}

function unknownKeys({ db }: HermesDatabase): Problem[] {
  const keys = foreignKeysOf(db);
  const unknown = keys.filter((key) => (isChanged(key.child) || isChanged(key.parent)) && !isKnown(key));
  const sentences = unknown.map(
    ({ child, parent }) => `Its table ${child} refers to ${parent} in a way that Coppice does not know.`,
  );
  return [...new Set(sentences)].map(unknownPart);
}

function isKnown({ child, column, parent, target }: ForeignKey): boolean {
  // Rows are found by the names that Hermes gives, so a table or a column that is spelled differently is not one of those.
  const names = (to: string) => `${child}.${column} ${`${parent}.${to}`.toLowerCase()}`;
  return target === null ? KNOWN_KEYS.has(names('id')) || KNOWN_KEYS.has(names('hash')) : KNOWN_KEYS.has(names(target));
}

function unknownTriggers(hermes: HermesDatabase): Problem[] {
  return triggersOf(hermes.db)
    .filter(({ table }) => isChanged(table))
    .filter(({ name, table, sql }) => {
      const index = INDEX_TRIGGER.exec(name)?.[1];
      const own = index ?? (ORDER_TRIGGER.test(name) ? 'messages' : undefined);
      return table !== 'messages' || own === undefined || !writtenBy(sql).every((target) => target === own);
    })
    .map(({ name, table }) => unknownPart(`Its table ${table} has a trigger that Coppice does not know: ${name}.`));
}

/** An index that loses one of its triggers would keep entries of messages that are gone, or miss those that come back. */
function missingTriggers(hermes: HermesDatabase): Problem[] {
  const names = new Set(triggersOf(hermes.db).map(({ name }) => name));
  const indexes = hermes.db
    .prepare<[], string>(`SELECT lower(name) FROM sqlite_master WHERE type = 'table' AND sql LIKE '%USING fts5%'`)
    .pluck()
    .all();
  return indexes.flatMap((index) => {
    const wanted = ['insert', 'delete', 'update'].map((event) => `${index}_${event}`);
    const missing = wanted.find((name) => INDEX_TRIGGER.test(name) && !names.has(name));
    if (missing === undefined) return [];
    const message = `Its search index ${index} is not kept any more: the trigger ${missing} is missing.`;
    const hint = 'The home is shown and not changed. Start Hermes once, so that it mends its index.';
    return [{ kind: 'index-unkept', subject: 'state.db', message, hint }];
  });
}

/** Functions, collations and keys that this SQLite cannot work with show when a statement is prepared, before anything goes. */
function unusable(hermes: HermesDatabase): Problem[] {
  for (const table of ['messages', 'sessions', 'system_prompts']) {
    const columns = columnsOf(hermes, table).map(quoted);
    if (columns.length === 0) continue;
    try {
      hermes.db.prepare(`DELETE FROM ${table}`);
      hermes.db.prepare(`INSERT INTO ${table} DEFAULT VALUES`);
      hermes.db.prepare(`UPDATE ${table} SET ${columns.map((name) => `${name} = ${name}`).join(', ')}`);
    } catch (error) {
      return [
        unknownPart(`Its table ${table} needs something that Coppice's SQLite does not have: ${errorText(error)}.`),
      ];
    }
  }
  return [];
}

function isChanged(table: string): boolean {
  const name = table.toLowerCase();
  return CHANGED.has(name) || name.startsWith('messages_fts');
}

function unknownPart(message: string): Problem {
  const hint = 'The home is shown and not changed. Use hermes sessions prune instead.';
  return { kind: 'schema-unknown-part', subject: 'state.db', message, hint };
}
