// Writes messages from many callers at once until told to stop by what it wrote, and says what it saw of the second thread.
// node flood-writer.js DATABASE MESSAGES BYTES [leave]: `leave` ends without closing anything.
import { statSync } from 'node:fs';
import { openConnection } from '../../dist/store/sqlite/database/connection.js';
import { createWriteQueue } from '../../dist/store/sqlite/writing/write-queue.js';

const CALLERS = 16;
const [, , path, count, bytes, leave] = process.argv;
const db = await openConnection(path);
const queue = createWriteQueue(db);
const insert = db.sql(`INSERT INTO messages (session_key, seq, role, at, text) VALUES (1, ?, 'user', 1, ?)`);
const text = 'elm '.repeat(Number(bytes) / 4);
const first = db.sql('SELECT coalesce(max(seq), 0) + 1 FROM messages').pluck().get();
const version = () => db.raw.pragma('data_version', { simple: true });
const before = version();
const seen = { written: 0, mostOwedBytes: 0, mostLogBytes: 0 };

db.raw.exec(`INSERT OR IGNORE INTO sessions (key, id, state, source, started_at, last_active_at)
  VALUES (1, 's', 'live', 'cli', 1, 1)`);
await Promise.all(Array.from({ length: CALLERS }, (_, caller) => write(first + caller)));
// Whoever else commits to a database changes this number for a connection. There is nobody else but the second thread.
seen.isHelped = version() !== before;
if (leave === undefined) {
  await queue.caughtUp();
  db[Symbol.dispose]();
}
console.log(JSON.stringify(seen));

async function write(seq) {
  for (let next = seq; next < first + Number(count); next += CALLERS) {
    await queue.run(() => insert.run(next, text));
    process.stdout.write(`${next}\n`);
    seen.written += 1;
    const owed = db.sql('SELECT max(id) - (SELECT up_to FROM indexed) FROM messages').pluck().get();
    seen.mostOwedBytes = Math.max(seen.mostOwedBytes, owed * Math.min(100_000, text.length));
    seen.mostLogBytes = Math.max(seen.mostLogBytes, statSync(`${path}-wal`).size);
  }
}
