// What the verdict before a step and after a message costs, with a real live.db, against one bare UPDATE of a row in such a
// database; what it costs to find the session of a route; and the memory of a process that follows many.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { DEFAULT_CONFIG } from '../dist/app/config/config-defaults.js';
import { gatewayRules } from '../dist/app/gateway/gateway-rules.js';
import { LiveSession } from '../dist/gateway/live-session.js';
import { openHome } from '../dist/index.js';
import { openSpendBook } from '../dist/store/sqlite/gateway/spend-book.js';
import { openSqliteStore } from '../dist/store/sqlite/sqlite-store.js';
import { compare, format, report } from './measure.js';
import { peakOfScript } from './processes.js';

const VERDICTS = 500;
const RESOLVES = 1000;
const ROUTES = 10_000;

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
  await benchVerdict(directory, { name: 'by the defaults', config: DEFAULT_CONFIG, limit: 20 });
  // Under a budget, what the step will need is set aside in the same transaction.
  await benchVerdict(directory, { name: 'under every budget', config: { ...DEFAULT_CONFIG, budgets }, limit: 25 });
  const path = join(directory, 'routes');
  benchMemory(path, directory);
  await benchResolve(path);
}

async function benchVerdict(directory, { name, config, limit }) {
  const path = join(directory, `live ${name}.db`);
  const book = openSpendBook({ path, clock: Date });
  const transcripts = { write: ({ mark }) => ({ mark, problems: [] }) };
  const store = await openSqliteStore({ path: `${path}.state`, scratchDir: directory, clock: Date, transcripts });
  const { id } = await store.create({ source: 'cli' });
  const turn = (await liveSession(book, config, () => store.sizeOf(id))).beginTurn();
  await turn.usage({ model: 'large', inputTokens: 10 });
  const bare = bareCounter(join(directory, `bare ${name}.db`));
  await reportVerdict(`verdict before a step, ${name}`, { judge: () => turn.beforeIteration(), limit }, bare);
  await reportVerdict(`verdict after a message, ${name}`, { judge: () => turn.message({ bytes: 0 }), limit: 20 }, bare);
  bare.close();
  book[Symbol.dispose]();
  await store[Symbol.asyncDispose]();
}

async function reportVerdict(name, { judge, limit }, bare) {
  const { oursMs, oursLeastMs, bareMs, ratio } = await compare(
    101,
    async () => {
      for (let asked = 0; asked < VERDICTS; asked += 1) await judge();
    },
    () => {
      for (let asked = 0; asked < VERDICTS; asked += 1) bare.count();
    },
  );
  const note = `fastest ${format(microseconds(oursLeastMs, VERDICTS))} µs; bare UPDATE … RETURNING ${format(microseconds(bareMs, VERDICTS))} µs, ${format(ratio)}×`;
  report(name, microseconds(oursMs, VERDICTS), { limit, unit: ' µs', note });
}

/** What one of so many took. */
function microseconds(ms, count) {
  return (ms / count) * 1000;
}

function liveSession(book, config, size) {
  const { live, budgetOffsetAt } = gatewayRules(config, 'cli');
  const recorder = { size, usage: async () => {}, end: async () => {} };
  return LiveSession.follow({
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

/** Each route that was asked for has a live lease: ten times as many as the limit speaks of. */
function benchMemory(path, directory) {
  const script = fileURLToPath(new URL('./route-process.js', import.meta.url));
  const peakMb = peakOfScript([script, path, String(ROUTES)], directory);
  report(`peak memory: ${ROUTES} routes, each with a live lease`, peakMb, { limit: 150, unit: ' MB' });
}

async function benchResolve(path) {
  const home = await openHome({ path });
  let key = 0;
  const { oursMs, oursLeastMs } = await compare(
    31,
    async () => {
      key += 1;
      for (let asked = 0; asked < RESOLVES; asked += 1)
        await home.gateway.resolve({ key: `chat:${key}`, source: 'chat' });
    },
    () => {},
  );
  const note = `fastest ${format(microseconds(oursLeastMs, RESOLVES))} µs, among ${ROUTES} routes`;
  report('resolve of a hot route', microseconds(oursMs, RESOLVES), { limit: 100, unit: ' µs', note });
  await home.close();
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
  return { count: () => update.all('s'), close: () => db.close() };
}
