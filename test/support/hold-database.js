// Has a database open, as a program that waits for its user does, until the other side is gone. Run as: fork(hold-database.js, [PATH, HOW?]);
// with `locked` it lets nobody else in.
import Database from 'better-sqlite3';

const [path, how] = process.argv.slice(2);
const db = new Database(path);
if (how === 'locked') {
  db.pragma('locking_mode = EXCLUSIVE');
  db.exec('BEGIN EXCLUSIVE');
} else db.prepare('SELECT count(*) FROM sqlite_master').get();
process.send('held');
process.once('disconnect', () => process.exit());
