// Stands in for a Hermes that is at work: appends to a live session, moves its route, takes and gives up leases, and now and
// then resumes an old session. It takes its locks as Hermes does and says at the end what it wrote and how long it waited.
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';

const [, , path, ...oldIds] = process.argv;
const db = new Database(path, { timeout: 1000 });
db.pragma('foreign_keys = ON');
const leases = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'session_turn_leases'`).get() !== undefined;
const written = [];
const waits = [];
const hermes = { going: true };
process.stdin.on('end', () => {
  hermes.going = false;
});
process.stdin.resume();
process.stdout.write('ready\n');

for (let turn = 0; hermes.going; turn += 1) {
  const id = turn % 5 === 4 ? oldIds[turn % oldIds.length] : 'live';
  await write(() => takeTurn(id, turn));
  await setTimeout(2 + Math.random() * 8);
  await write(() => endTurn(id));
}
db.close();
waits.sort((a, b) => a - b);
const at = (share) => waits[Math.floor((waits.length - 1) * share)] ?? 0;
process.stdout.write(`${JSON.stringify({ written, p50: at(0.5), p99: at(0.99), max: at(1) })}\n`);

/** An old session is opened again, if it is still there. What was appended is only counted once it is committed. */
function takeTurn(id, turn) {
  const now = Date.now() / 1000;
  const found = db.prepare('UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?').run(id).changes > 0;
  if (!found) return undefined;
  const content = `turn ${turn} of ${id}`;
  const message = db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)`);
  const { lastInsertRowid } = message.run(id, content, now);
  db.prepare('UPDATE sessions SET message_count = message_count + 1, last_activity_at = ? WHERE id = ?').run(now, id);
  const route = JSON.stringify({ session_key: 'agent:main:x', session_id: id });
  db.prepare(`INSERT OR REPLACE INTO gateway_routing VALUES ('/home/sessions', 'agent:main:x', ?, ?)`).run(route, now);
  if (leases) db.prepare(`INSERT OR REPLACE INTO session_turn_leases VALUES (?, 'pid=1', ?, ?)`).run(id, now, now + 60);
  return { id: Number(lastInsertRowid), content };
}

function endTurn(id) {
  if (leases) db.prepare('DELETE FROM session_turn_leases WHERE conversation_id = ?').run(id);
  if (id === 'live') return;
  const now = Date.now() / 1000;
  db.prepare(`UPDATE sessions SET ended_at = ?, end_reason = 'agent_close' WHERE id = ? AND ended_at IS NULL`).run(
    now,
    id,
  );
}

async function write(step) {
  const startedAt = performance.now();
  for (;;) {
    try {
      const result = db.transaction(step).immediate();
      if (result !== undefined) written.push(result);
      waits.push(performance.now() - startedAt);
      return;
    } catch (error) {
      if (!/SQLITE_BUSY/.test(error.code)) throw error;
      await setTimeout(20 + Math.random() * 130);
    }
  }
}
