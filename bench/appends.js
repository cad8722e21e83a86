// Appends through Coppice against the same statements through better-sqlite3 alone, on a database of the same schema.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openHome } from '../dist/index.js';
import { compare, format, report } from './measure.js';
import { seeded, sentence } from './words.js';

const DURABLE = 200;
const BATCHED = 20_000;
const BATCH = 500;

export async function benchAppends(directory) {
  const ours = await openHome({ path: join(directory, 'appends-ours') });
  await (await openHome({ path: join(directory, 'appends-bare') })).close();
  const bare = bareStore(join(directory, 'appends-bare', 'state.db'));

  const random = seeded(1);
  const texts = Array.from({ length: BATCHED }, () => sentence(random));
  const session = await ours.sessions.create({ source: 'cli' });
  const messages = texts.map((content) => ({ role: 'user', content }));

  const durable = await compare(
    21,
    async () => {
      for (const message of messages.slice(0, DURABLE)) await session.append(message);
    },
    () => {
      for (const text of texts.slice(0, DURABLE)) bare.append([text]);
    },
  );
  const each = `${format((durable.oursMs / DURABLE) * 1000)} µs each, bare ${format((durable.bareMs / DURABLE) * 1000)} µs`;
  report('durable appends / the same inserts', durable.ratio, { limit: 1.3, unit: '×', note: each });

  // 5 rounds of 20 000: 100 000 messages on each side.
  const batched = await compare(
    5,
    () => session.appendAll(messages),
    () => {
      for (let at = 0; at < texts.length; at += BATCH) bare.append(texts.slice(at, at + BATCH));
    },
  );
  const rate = `${format(BATCHED / batched.oursMs)} k/s, bare ${format(BATCHED / batched.bareMs)} k/s`;
  report('100 000 batched appends / the same inserts', batched.ratio, { limit: 1.3, unit: '×', note: rate });
  bare.close();
  await ours.close();
}

/** The same rows, search index, durability and cache, without everything else that an append does. */
function bareStore(path) {
  const db = new Database(path);
  db.pragma('synchronous = FULL');
  db.pragma('cache_size = -4000');
  db.prepare(
    `INSERT INTO sessions (id, state, source, started_at, last_active_at) VALUES ('s', 'live', 'cli', 1, 1)`,
  ).run();
  const read = db.prepare(`SELECT key, last_seq FROM sessions WHERE id = 's' AND state = 'live'`);
  const insert = db.prepare('INSERT INTO messages (session_key, seq, role, at, text, extra) VALUES (?, ?, ?, ?, ?, ?)');
  const count = db.prepare(`UPDATE sessions SET last_seq = last_seq + ?, message_count = message_count + ?,
    content_bytes = content_bytes + ?, last_active_at = max(?, last_active_at) WHERE key = ?`);
  const index = bareIndex(db);
  const append = db.transaction((texts) => {
    const { key, last_seq: last } = read.get();
    let bytes = 0;
    for (const [at, text] of texts.entries()) {
      insert.run(key, last + at + 1, 'user', Date.now(), text, null);
      bytes += text.length;
    }
    count.run(texts.length, texts.length, bytes, Date.now(), key);
    index(bytes);
  });
  return { append: (texts) => append.immediate(texts), close: () => db.close() };
}

/** What search needs of an append: every message in both indexes, and their pieces merged. */
function bareIndex(db) {
  const mark = db.prepare('SELECT up_to FROM indexed').pluck();
  const words = db.prepare(
    'INSERT INTO message_words (rowid, text) SELECT id, substr(text, 1, 100000) FROM messages WHERE id > ?',
  );
  const parts = db.prepare(
    `INSERT INTO message_parts (rowid, text) SELECT id, substr(text, 1, 100000) || '  ' FROM messages WHERE id > ?`,
  );
  const move = db.prepare('UPDATE indexed SET up_to = (SELECT max(id) FROM messages)');
  const merges = ['message_words', 'message_parts'].map((index) =>
    db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`),
  );
  return (bytes) => {
    const upTo = mark.get();
    words.run(upTo);
    parts.run(upTo);
    move.run();
    for (const merge of merges) merge.run(BigInt(8 + Math.ceil(bytes / 200)));
  };
}
