// Large homes, built in bulk: the figures are about using them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { nativeLayout } from '../dist/homes/native/native-layout.js';
import { openHome } from '../dist/index.js';
import { indexMessages } from '../dist/store/sqlite/search/search-index.js';
import { seeded, sentence } from './words.js';

export const SESSIONS = Number(process.env.COPPICE_BENCH_SESSIONS ?? 100_000);
const SOURCES = ['cron', 'cron', 'cron', 'cli', 'telegram'];

/** Sessions end over the last `days` days; each has messages, a transcript and so many request dumps. */
export async function buildHome(path, { sessions, messagesEach, days = 200, dumps = 0 }) {
  await (await openHome({ path })).close();
  const layout = nativeLayout(path);
  const db = new Database(layout.database);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -200000');
  const random = seeded(42);
  const now = Date.now();
  const addSession =
    db.prepare(`INSERT INTO sessions (key, id, state, source, title, started_at, last_active_at, ended_at,
    end_reason, last_seq, message_count, input_tokens, cost_nano_usd, content_bytes, transcript_seq, transcript_bytes, dump_bytes)
    VALUES (?, ?, 'live', ?, ?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?, ?, ?)`);
  const addMessage = db.prepare(`INSERT INTO messages (session_key, seq, role, at, text) VALUES (?, ?, ?, ?, ?)`);
  const addMany = db.transaction((from, to) => {
    for (let key = from; key <= to; key += 1) {
      const id = `session-${key}`;
      const at = now - Math.floor((0.02 + random()) * days * 86_400_000);
      const texts = Array.from({ length: messagesEach }, () => sentence(random));
      const file = writeTranscript(layout, { id, at, texts });
      const dumpBytes = writeDumps(layout, { id, at, dumps });
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      addSession.run(
        key,
        id,
        SOURCES[key % SOURCES.length],
        sentence(random, 4),
        at,
        at,
        at,
        messagesEach,
        messagesEach,
        key,
        key,
        bytes,
        messagesEach,
        file,
        dumpBytes,
      );
      for (const [index, text] of texts.entries())
        addMessage.run(key, index + 1, index % 2 ? 'assistant' : 'user', at, text);
    }
    while (indexMessages({ sql: (text) => db.prepare(text) }).isLeft);
  });
  for (let from = 1; from <= sessions; from += 2000) addMany(from, Math.min(sessions, from + 1999));
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

function writeTranscript(layout, { id, at, texts }) {
  const path = layout.transcript(id);
  mkdirSync(dirname(path), { recursive: true });
  const time = new Date(at).toISOString();
  const lines = [
    { coppice: 'transcript', version: 1, session: id, source: 'cli', startedAt: time },
    ...texts.map((content, index) => ({ seq: index + 1, at: time, role: index % 2 ? 'assistant' : 'user', content })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(path, text);
  return Buffer.byteLength(text);
}

function writeDumps(layout, { id, at, dumps }) {
  const text = JSON.stringify({ at: new Date(at).toISOString(), url: 'https://example.com', body: { id } });
  if (dumps > 0) mkdirSync(layout.dumps(id), { recursive: true });
  for (let number = 0; number < dumps; number += 1)
    writeFileSync(`${layout.dumps(id)}/20260101T000000000Z-0000000${number}.json`, text);
  return dumps * Buffer.byteLength(text);
}
