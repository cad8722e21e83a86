// What the verdict before a step costs, with a real live.db, against one bare UPDATE of a row in such a database.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DEFAULT_CONFIG } from '../dist/app/config/config-defaults.js';
import { gatewayRules } from '../dist/app/gateway/gateway-rules.js';
import { LiveSession } from '../dist/gateway/live-session.js';
import { openSpendBook } from '../dist/store/sqlite/spend-book.js';
import { compare, format, report } from './measure.js';

const VERDICTS = 500;

export async function benchGateway(directory) {
  const many = 1_000_000_000;
  const budgets = {
    session: { tokens: many, usd: 1000, iterations: many, minutes: 100_000 },
    day: { tokens: many, usd: 1000 },
    source: { cli: { tokens: many, usd: 1000 } },
    model: { large: { tokens: many, usd: 1000 } },
    time_zone: 'Europe/Berlin',
    on_breach: 'stop',
  };
  await benchVerdict(directory, { name: 'by the defaults', config: DEFAULT_CONFIG });
  await benchVerdict(directory, { name: 'under every budget', config: { ...DEFAULT_CONFIG, budgets } });
}

async function benchVerdict(directory, { name, config }) {
  const path = join(directory, `live ${name}.db`);
  const book = openSpendBook({ path, clock: Date });
  const turn = liveSession(book, config).beginTurn();
  await turn.usage({ model: 'large', inputTokens: 10 });
  const bare = bareCounter(join(directory, `bare ${name}.db`));
  const { oursMs, bareMs, ratio } = await compare(
    101,
    () => {
      for (let step = 0; step < VERDICTS; step += 1) turn.beforeIteration();
    },
    () => {
      for (let step = 0; step < VERDICTS; step += 1) bare.count();
    },
  );
  const note = `bare UPDATE … RETURNING ${format((bareMs / VERDICTS) * 1000)} µs, ${format(ratio)}×`;
  report(`verdict before a step, ${name}`, (oursMs / VERDICTS) * 1000, { limit: 20, unit: ' µs', note });
  bare.close();
  book[Symbol.dispose]();
}

function liveSession(book, config) {
  const { live, budgetOffsetAt } = gatewayRules(config, 'cli');
  const recorder = { usage: async () => {}, end: async () => {} };
  return new LiveSession({
    id: '0198c2f0-0000-7000-8000-000000000000',
    source: 'cli',
    usedBefore: {},
    rules: live,
    offsetAt: budgetOffsetAt,
    book,
    recorder,
    clock: Date,
  });
}

/** One row, counted up by its key, with the same durability. */
function bareCounter(path) {
  const db = new Database(path);
  db.pragma('page_size = 1024');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('wal_autocheckpoint = 4000');
  db.exec(`CREATE TABLE spend (key TEXT PRIMARY KEY, iterations INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO spend VALUES ('s', 0)`);
  const update = db.prepare('UPDATE spend SET iterations = iterations + 1 WHERE key = ? RETURNING iterations');
  return { count: () => update.get('s'), close: () => db.close() };
}
