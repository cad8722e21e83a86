// Listing, searching and counting in the large home.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openHome } from '../dist/index.js';
import { compare, format, median, report, timed } from './measure.js';
import { VOCABULARY } from './words.js';

export async function benchReading(path) {
  const home = await openHome({ path });
  await benchList(home);
  await benchSearch(home);
  await benchStats(home, path);
  await home.close();
}

async function benchList(home) {
  const times = [];
  for (let round = 0; round < 50; round += 1) {
    times.push(
      await timed(async () => {
        for await (const _ of home.sessions.list({ limit: 20 }));
      }),
    );
  }
  report('list 20 of 100 000 sessions', median(times), { limit: 5, unit: ' ms' });
}

/** What people search for: rare, usual and common words, several, phrases, parts of words, Japanese, and nothing. */
function queries() {
  const [common, usual, rare] = [VOCABULARY[3], VOCABULARY[900], VOCABULARY[25_000]];
  return [
    rare,
    usual,
    common,
    `${usual} ${rare}`,
    `${common} ${usual}`,
    `"${common} ${usual}"`,
    `${usual} -${common}`,
    VOCABULARY[20_001].slice(1),
    VOCABULARY[5000].slice(0, 4),
    '東京',
    '天気',
    'zzqqzz',
    VOCABULARY[12_345],
    VOCABULARY[60],
  ];
}

async function benchSearch(home) {
  const times = [];
  let slowest = { query: '', ms: 0 };
  for (let round = 0; round < 5; round += 1) {
    for (const text of queries()) {
      const ms = await timed(() => home.sessions.search({ text }));
      times.push(ms);
      if (round > 0 && ms > slowest.ms) slowest = { query: text, ms };
    }
  }
  const note = `slowest ${format(slowest.ms)} ms for ${slowest.query}`;
  report('search 1 000 000 messages, median', median(times), { limit: 30, unit: ' ms', note });
}

async function benchStats(home, path) {
  const { ratio, oursMs, bareMs } = await compare(
    3,
    () => home.sessions.stats(),
    () => {
      scanSessions(join(path, 'state.db'));
      walk(join(path, 'sessions'));
    },
  );
  const note = `${format(oursMs)} ms, bare ${format(bareMs)} ms`;
  report('stats of 100 000 sessions / one pass of SQL and one walk', ratio, { limit: 1.5, unit: '×', note });
}

export function scanSessions(file) {
  const db = new Database(file, { readonly: true });
  let bytes = 0;
  for (const row of db.prepare(`SELECT * FROM sessions WHERE state = 'live'`).iterate()) bytes += row.content_bytes;
  db.close();
  return bytes;
}

export function walk(root) {
  const stack = [root];
  let bytes = 0;
  for (let directory = stack.pop(); directory !== undefined; directory = stack.pop()) {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      const stat = lstatSync(path);
      if (entry.isDirectory()) stack.push(path);
      else bytes += stat.size;
    }
  }
  return bytes;
}
