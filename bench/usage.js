// What a second look at the usage of a year costs, beside reading what the first one wrote down.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { priceTokens } from '../dist/app/usage/price-tokens.js';
import { readTranscripts } from '../dist/app/usage/read-transcripts.js';
import { claudeFormat } from '../dist/homes/claude-code/claude-format.js';
import { openUsageBook } from '../dist/store/sqlite/usage/usage-book.js';
import { compare, format, report, timed } from './measure.js';

const SESSIONS = Number(process.env.COPPICE_BENCH_USAGE ?? 10_000);
const PROJECTS = 100;
const CALLS = 25;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);

export async function benchUsage(scratch) {
  const home = writeHome(join(scratch, 'usage-home'));
  const path = join(scratch, 'usage.db');
  const firstMs = await timed(() => look(home, path));
  const { ratio, oursMs, bareMs } = await compare(
    7,
    () => look(home, path),
    () => readBook(path),
  );
  const note = `${format(oursMs)} ms, bare ${format(bareMs)} ms, the first time ${format(firstMs)} ms`;
  report(`usage of a year, ${SESSIONS} sessions, second run / reading its ledger`, ratio, {
    limit: 2,
    unit: '×',
    note,
  });
}

const dayOf = (at) => new Date(at).toISOString().slice(0, 10);

/** As `coppice usage` does it: brings the book up to date and adds it up by day. */
async function look(home, path) {
  const book = openUsageBook({
    path,
    days: { zone: 'UTC', dayOf },
    priceOf: priceTokens(new Map()),
    familyOf: (model) => model,
  });
  await book.price();
  const problems = await readTranscripts(book, { path: home, format: claudeFormat });
  await book.settle();
  const { totals, total } = book.totals('day');
  book[Symbol.dispose]();
  if (problems.length > 0 || total.sessions !== SESSIONS || totals.length < 365)
    throw new Error('something is missing');
}

/** Every row that a session left, with what was read of it. */
function readBook(path) {
  const db = new Database(path, { readonly: true });
  let tokens = 0;
  const spent = db.prepare(
    'SELECT * FROM spent JOIN sessions ON sessions.key = session JOIN models ON models.key = model',
  );
  for (const row of spent.iterate()) tokens += row.input + row.output;
  for (const row of db.prepare('SELECT * FROM files').iterate()) tokens += row.path.length;
  db.close();
  return tokens;
}

function writeHome(home) {
  for (let number = 0; number < SESSIONS; number += 1) {
    const folder = join(home, 'projects', `-work-${number % PROJECTS}`);
    if (number < PROJECTS) mkdirSync(folder, { recursive: true });
    const id = `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`;
    writeFileSync(join(folder, `${id}.jsonl`), linesOf(id, number).join(''));
  }
  return home;
}

function linesOf(sessionId, number) {
  const at = (step) => new Date(START + (number / SESSIONS) * 365 * DAY_MS + step * 1000).toISOString();
  const outer = { sessionId, cwd: `/work/${number % PROJECTS}` };
  const user = { ...outer, type: 'user', timestamp: at(0), message: { role: 'user', content: 'hello' } };
  const lines = [user];
  for (let call = 0; call < CALLS; call += 1) {
    const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 5, cache_creation_input_tokens: 1 };
    const message = { id: `m${number}-${call}`, role: 'assistant', model: 'claude-sonnet-4-5', usage, content: [] };
    lines.push({ ...outer, type: 'assistant', timestamp: at(call), message });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`);
}
